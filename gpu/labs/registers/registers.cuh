// What the kernels of this lab share and is not the lesson of any of them: a Walsh-Hadamard transform of 64 numbers, which
// one thread needs all at the same time. Number n of a group lies n planes behind the first, so that the lanes of a warp lie
// side by side. What is left over behind the last whole group is copied.
#pragma once

#ifndef BLOCK_X
#define BLOCK_X 128
#endif

constexpr int kPoints = 64;

static __device__ unsigned planes_of(int width, int height) {
    return unsigned(width) * height / kPoints;
}

// In place: log2(kCount) rounds of sums and differences.
template <int kCount>
static __device__ void transform(unsigned (&value)[kCount]) {
#pragma unroll
    for (int half = 1; half < kCount; half *= 2) {
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            if (i & half) continue;
            const unsigned a = value[i];
            const unsigned b = value[i | half];
            value[i] = a + b;
            value[i | half] = a - b;
        }
    }
}

// From plane to plane by one pointer: 64 addresses would take more registers than the numbers.
template <int kCount>
static __device__ void load_planes(unsigned (&value)[kCount], const unsigned* __restrict__ from, unsigned planes) {
#pragma unroll
    for (int i = 0; i < kCount; ++i, from += planes) value[i] = *from;
}
template <int kCount>
static __device__ void store_planes(const unsigned (&value)[kCount], unsigned* __restrict__ to, unsigned planes) {
#pragma unroll
    for (int i = 0; i < kCount; ++i, to += planes) *to = value[i];
}

static __device__ void copy_rest(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                                 int height) {
    const unsigned count = unsigned(width) * height;
    const unsigned first = planes_of(width, height) * kPoints;
    for (unsigned i = first + threadIdx.x; blockIdx.x == 0 && i < count; i += BLOCK_X) target[i] = source[i];
}

// All 64 numbers of a group by one thread.
static __device__ void transform_group(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                                       int height) {
    const unsigned planes = planes_of(width, height);
    const unsigned group = blockIdx.x * BLOCK_X + threadIdx.x;
    copy_rest(source, target, width, height);
    if (group >= planes) return;
    unsigned value[kPoints];
    load_planes(value, source + group, planes);
    transform(value);
    store_planes(value, target + group, planes);
}
