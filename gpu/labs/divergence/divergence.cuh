// What the kernels of this lab share and is not the lesson of any of them: the paths that a branch can lead to. Each is
// kSteps rounds on whole numbers, about equally long, and different enough that no compiler makes one of two.
#pragma once

#ifndef BLOCK_X
#define BLOCK_X 256
#endif

constexpr int kSteps = 32;

// Path `kWay`, 0 to 7.
template <int kWay>
static __device__ unsigned path(unsigned value) {
#pragma unroll 4
    for (int i = 0; i < kSteps; ++i) value = (value ^ value >> (kWay + 5)) * (2 * kWay + 0x7FEB352Du) + i;
    return value;
}

// The number of the thread's element.
[[maybe_unused]] static __device__ unsigned element() {
    return blockIdx.x * BLOCK_X + threadIdx.x;
}
