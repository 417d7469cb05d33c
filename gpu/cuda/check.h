#pragma once
// Three ways to check a call of the CUDA runtime: throw, or report from a destructor. Our own bugs are
// asserts.

#include <cuda_runtime_api.h>

namespace ws {

// Throws Error with the call, the API's name for the error and what it means. Clears the error state.
void check_cuda(cudaError_t status, const char* call);
// For destructors: prints instead of throwing; says nothing once the device is lost.
void report_cuda(cudaError_t status, const char* call) noexcept;

#define WS_CUDA(call) ::ws::check_cuda((call), #call)

}  // namespace ws
