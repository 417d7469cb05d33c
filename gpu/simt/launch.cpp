#include "gpu/simt/launch.h"

#include <fmt/format.h>

#include <cstring>

#include "gpu/core/error.h"

namespace ws::simt {

std::uint64_t shared_bytes_of(const KernelLaunch& launch) {
    const std::uint64_t own = launch.program->static_shared_bytes;
    const std::uint64_t align = launch.program->shared_align;
    if (launch.dynamic_shared_bytes == 0) return own;
    return (own + align - 1) / align * align + launch.dynamic_shared_bytes;
}

std::uint64_t l1_bytes_of(const KernelLaunch& launch, const GpuProfile& gpu) {
    const std::uint64_t shared = shared_bytes_of(launch);
    return l1_bytes(gpu.limits, launch.cache, int(shared), shared);
}

void set_parameter(KernelLaunch& launch, std::size_t index, std::uint64_t bits, std::uint32_t bytes) {
    const Program& program = *launch.program;
    if (index >= program.parameters.size())
        throw Error(fmt::format("the kernel '{}' has {} parameters, not {}", program.kernel,
                                program.parameters.size(), index + 1));
    const KernelParameter& parameter = program.parameters[index];
    if (parameter.bytes != bytes)
        throw Error(fmt::format("parameter {} of the kernel '{}' has {} bytes, the argument {}", index,
                                program.kernel, parameter.bytes, bytes));
    launch.parameters.resize(program.parameter_bytes);
    std::memcpy(launch.parameters.data() + parameter.at, &bits, bytes);
}

}  // namespace ws::simt
