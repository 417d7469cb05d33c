#pragma once
// A stage of the pipeline as a launch of the simulated GPU.

#include <memory>

#include "gpu/core/image.h"
#include "gpu/simt/gpu.h"

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
// which may be read as far as readable_bytes() says, else 1), `target` a byte for each: both become buffers
// of the GPU. Throws Error if the kernel's parameters are not those of a stage.
[[nodiscard]] KernelLaunch stage_launch(Gpu& gpu, std::shared_ptr<const Program> program,
                                        const Launch& launch, Extent size, const std::uint8_t* source,
                                        int source_bytes, std::uint8_t* target);
// With the most steps that a block of a stage takes.
[[nodiscard]] LaunchOptions stage_options();

}  // namespace ws::simt
