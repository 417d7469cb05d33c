#pragma once
// Kernels on the GPU: loaded once, with the preferences of a launch, and launched.

#include <optional>
#include <tuple>

#include "gpu/core/device.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/kernel_arguments.h"
#include "gpu/cuda/module_cache.h"

namespace ws {

class KernelLauncher {
  public:
    // Both must outlive it.
    KernelLauncher(const Driver& driver, const DeviceFacts& gpu)
        : driver_(driver), gpu_(gpu), modules_(driver) {}

    // `bits(argument)` are those of an argument that names a buffer, as KernelArguments takes them.
    template <typename Bits>
    [[nodiscard]] std::optional<LaunchFailure> launch(const Launch& launch, Extent size, const Bits& bits,
                                                      CUstream stream);
    // The kernel's function, loaded and configured for the launch. Throws Error.
    [[nodiscard]] CUfunction function_of(const Launch& launch);
    // The resident blocks of a multiprocessor that the driver promises; none where the kernel does not load.
    [[nodiscard]] std::optional<int> active_blocks(const Launch& launch);

  private:
    [[nodiscard]] std::optional<LaunchFailure> prepare(const Launch& launch, CUfunction& function);
    [[nodiscard]] std::optional<LaunchFailure> start(const Launch& launch, CUfunction function,
                                                     void** arguments, CUstream stream) const;
    void configure(CUfunction function, const Launch& launch);

    const Driver& driver_;
    const DeviceFacts& gpu_;
    ModuleCache modules_;
    std::tuple<CUfunction, CachePreference, BankWidth, std::uint64_t> configured_{};
};

template <typename Bits>
std::optional<LaunchFailure> KernelLauncher::launch(const Launch& launch, Extent size, const Bits& bits,
                                                    CUstream stream) {
    CUfunction function = nullptr;
    if (auto failure = prepare(launch, function)) return failure;
    KernelArguments arguments;
    for (const Argument& argument : launch.arguments)
        arguments.add(argument, size, argument.buffer < 0 ? 0 : bits(argument));
    return start(launch, function, arguments.pointers(), stream);
}

}  // namespace ws
