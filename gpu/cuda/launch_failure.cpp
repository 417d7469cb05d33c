#include "gpu/cuda/launch_failure.h"

#include <fmt/format.h>

namespace ws {
namespace {

// After these the context is gone; every further call fails the same way.
bool loses_device(cudaError_t status) {
    switch (status) {
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchFailure:
        case cudaErrorLaunchTimeout:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorIllegalInstruction:
        case cudaErrorHardwareStackError:
        case cudaErrorAssert:
        case cudaErrorECCUncorrectable:
        case cudaErrorContextIsDestroyed:
        case cudaErrorDevicesUnavailable:
            return true;
        default:
            return false;
    }
}

}  // namespace

int threads_of(const Launch& launch) {
    const auto [x, y, z] = launch.threads();
    return x * y * z;
}

std::optional<LaunchFailure> failed(cudaError_t status, const Plan& plan) {
    if (status == cudaSuccess) return std::nullopt;
    return failure_of(status, plan);
}

LaunchFailure failure_of(cudaError_t status, const Plan& plan) {
    cudaGetLastError();
    LaunchFailure failure;
    if (!plan.launches.empty()) failure.step = plan.launches.back().step;
    failure.code = cudaGetErrorName(status);
    failure.message = cudaGetErrorString(status);
    failure.device_lost = loses_device(status);
    return failure;
}

LaunchFailure refusal_of(CUresult status, const Launch& launch, const Driver& driver,
                         const DeviceFacts& gpu) {
    LaunchFailure failure{launch.step, driver.name_of(status), driver.text_of(status), false};
    const CompileReport& report = launch.kernel->report;
    const GpuLimits& limits = gpu.profile.limits;
    const int threads = threads_of(launch);
    const auto shared_bytes = std::uint64_t(report.shared_bytes) + launch.dynamic_shared_bytes();
    const int warps = (threads + 31) / 32;
    const int most_shared =
        launch.dynamic_shared_bytes() > 0 ? limits.shared_bytes_opt_in : limits.shared_bytes_per_block;
    const int registers_per_warp = (report.registers * 32 + 255) / 256 * 256;
    if (status == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES &&
        registers_per_warp * warps > limits.registers_per_block) {
        failure.message = fmt::format(
            "{} registers x {} threads take {} registers as allocated, a block may have {}: "
            "use fewer "
            "threads or launch bounds",
            report.registers, threads, registers_per_warp * warps, limits.registers_per_block);
    } else if (threads > limits.threads_per_block) {
        failure.message =
            fmt::format("{} threads; a block on this GPU may have {}", threads, limits.threads_per_block);
    } else if (shared_bytes > std::uint64_t(most_shared)) {
        failure.message = fmt::format("{} bytes of shared memory; a block on this GPU may have {}",
                                      shared_bytes, most_shared);
    } else if (status == CUDA_ERROR_NO_BINARY_FOR_GPU || status == CUDA_ERROR_INVALID_PTX ||
               status == CUDA_ERROR_UNSUPPORTED_PTX_VERSION || status == CUDA_ERROR_INVALID_IMAGE) {
        failure.message = fmt::format("{} cannot load code for {} made by {}: update the GPU's driver",
                                      gpu.name, report.architecture, report.compiler);
    }
    failure.device_lost = loses_device(cudaError_t(status));
    return failure;
}

}  // namespace ws
