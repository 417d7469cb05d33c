#include "gpu/cuda/check.h"

#include <cstdio>
#include <string>

#include "gpu/core/error.h"

namespace ws {
namespace {

std::string name_of_call(const char* call) {
    const std::string text = call;
    return text.substr(0, text.find('('));
}

}  // namespace

void check_cuda(cudaError_t status, const char* call) {
    if (status == cudaSuccess) return;
    cudaGetLastError();
    throw Error(std::string(cudaGetErrorName(status)) + " (" + cudaGetErrorString(status) + ")",
                "in " + name_of_call(call));
}

void report_cuda(cudaError_t status, const char* call) noexcept {
    if (status == cudaSuccess) return;
    cudaGetLastError();
    const bool already_lost = status == cudaErrorCudartUnloading || status == cudaErrorContextIsDestroyed ||
                              status == cudaErrorIllegalAddress || status == cudaErrorLaunchFailure ||
                              status == cudaErrorInvalidResourceHandle;
    if (!already_lost) std::fprintf(stderr, "warpscope: warning: %s in %s\n", cudaGetErrorName(status), call);
}

}  // namespace ws
