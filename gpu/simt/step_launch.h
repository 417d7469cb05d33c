#pragma once
// A step of a lab as a launch of the simulated GPU.

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "gpu/core/image.h"
#include "gpu/simt/gpu.h"

namespace ws::simt {

// Decoded kernels by compiled kernel, for any number of threads: decoding takes about a millisecond, of a
// long kernel a tenth of a second.
class ProgramCache {
  public:
    // The failure says what the simulated GPU does not know.
    [[nodiscard]] Result<std::shared_ptr<const Program>> find(
        const std::shared_ptr<const CompiledKernel>& kernel);

  private:
    [[nodiscard]] std::shared_ptr<const Program> known(const std::shared_ptr<const CompiledKernel>& kernel);

    std::mutex mutex_;  // not while one is decoded
    std::vector<std::pair<std::weak_ptr<const CompiledKernel>, std::shared_ptr<const Program>>> known_;
};

// `buffers` has the memory of the lab's buffers by their place, null where the launch does not use one: they
// become buffers of the GPU. The first may be read as far as readable_bytes() says. Throws Error if the
// kernel's parameters are others.
[[nodiscard]] KernelLaunch step_launch(Gpu& gpu, std::shared_ptr<const Program> program, const Launch& launch,
                                       const Lab& lab, Extent size,
                                       const std::vector<std::uint8_t*>& buffers);
// With the most steps that a block of a lab takes.
[[nodiscard]] LaunchOptions step_options();

}  // namespace ws::simt
