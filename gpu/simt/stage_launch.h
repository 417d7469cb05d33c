#pragma once
// A stage of the pipeline as a launch of the simulated GPU.

#include <memory>

#include "gpu/core/image.h"
#include "gpu/simt/machine.h"

namespace ws::simt {

// Decoded kernels by compiled kernel: decoding takes about a millisecond.
class ProgramCache {
  public:
    // The failure says what the simulated GPU does not know.
    [[nodiscard]] Result<std::shared_ptr<const Program>> find(
        const std::shared_ptr<const CompiledKernel>& kernel);

  private:
    std::vector<std::pair<std::weak_ptr<const CompiledKernel>, std::shared_ptr<const Program>>> known_;
};

// `source` holds size.pixels() pixels of `source_bytes` bytes each (4 for a kernel that reads the picture,
// which may be read as far as readable_bytes() says, else 1), `target` a byte for each. Throws Error if the
// kernel's parameters are not those of a stage.
[[nodiscard]] LaunchSetup stage_launch(std::shared_ptr<const Program> program, const Launch& launch,
                                       const GpuProfile& gpu, Extent size, const std::uint8_t* source,
                                       int source_bytes, std::uint8_t* target);

}  // namespace ws::simt
