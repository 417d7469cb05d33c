#pragma once
// What CUDA says when a launch does not happen, or ends badly, as values.

#include <cuda_runtime_api.h>

#include <optional>

#include "gpu/core/device.h"
#include "gpu/cuda/driver.h"

namespace ws {

// Nothing where the call succeeded. A failure is that of the plan's last step, since it may be seen late; it
// clears CUDA's error state.
[[nodiscard]] std::optional<LaunchFailure> failed(cudaError_t status, const Plan& plan);
// The same of a call that did not succeed.
[[nodiscard]] LaunchFailure failure_of(cudaError_t status, const Plan& plan);
// A launch, or its kernel's code, that the driver refused, with the arithmetic behind it.
[[nodiscard]] LaunchFailure refusal_of(CUresult status, const Launch& launch, const Driver& driver,
                                       const DeviceFacts& gpu);
[[nodiscard]] int threads_of(const Launch& launch);  // of a block

}  // namespace ws
