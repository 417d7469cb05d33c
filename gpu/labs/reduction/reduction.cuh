// What the sums share and is not the lesson of any of them. A block sums up RUN values; all sums are modulo 2 to the power
// of 32, so that no order of additions changes them.
#pragma once

#ifndef BLOCK_X
#define BLOCK_X 256
#endif

constexpr int kRun = 2048;

// The value at a place of a block's run; 0 behind the last one.
struct Run {
    const unsigned* values;
    int length;
    __device__ unsigned operator[](int i) const { return i < length ? values[i] : 0; }
};

[[maybe_unused]] static __device__ Run run_of_block(const unsigned* values, int width, int height) {
    const size_t count = size_t(width) * height;
    const size_t first = size_t(blockIdx.x) * kRun;
    return {values + first, int(count - first < kRun ? count - first : kRun)};
}

// The sum of a warp, in lane 0.
[[maybe_unused]] static __device__ unsigned sum_of_warp(unsigned value) {
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2) value += __shfl_down_sync(~0u, value, lanes);
    return value;
}

// The sum of what the first kWarps * 32 threads have, in thread 0: one word of shared memory for each warp.
template <int kWarps>
static __device__ unsigned sum_of_block(unsigned value) {
    __shared__ unsigned of_warp[kWarps];
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    if (warp < kWarps) {
        value = sum_of_warp(value);
        if (lane == 0) of_warp[warp] = value;
    }
    __syncthreads();
    if (warp > 0) return 0;
    return sum_of_warp(lane < kWarps ? of_warp[lane] : 0);
}
