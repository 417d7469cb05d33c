#pragma once
// A kernel that the debugger's tests share: a sum that lacks a barrier in its loop.

#include <numeric>
#include <vector>

#include "tests/debug_support.h"

namespace ws::testing {

// Lines are counted on.
inline constexpr const char* kSum = R"(extern "C" __global__ void sum(const float* in, float* out) {
    __shared__ float part[128];
    const int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int apart = blockDim.x / 2; apart > 0; apart /= 2) {
        if (t < apart)
            part[t] += part[t + apart];
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}
)";

inline std::vector<float> ramp(std::size_t count) {
    std::vector<float> made(count);
    std::iota(made.begin(), made.end(), 0.0F);
    return made;
}

class Sum : public Debugged {
  public:
    explicit Sum(int blocks = 1) : Debugged(kSum, "sum", {blocks, 1, 1}, {128, 1, 1}) {
        buffer(ramp(std::size_t(128 * blocks))).buffer(std::vector<float>(std::size_t(blocks), -1.0F));
    }
};

}  // namespace ws::testing
