// Registers r4: shared memory instead.
//
// Grew from r1. The thread transforms 32 numbers, puts them into shared memory, transforms the other 32, and joins both
// halves: 32 numbers are live at a time.
// Why it should win: half of the registers and no spills. Which numbers leave them, and when, is decided by the algorithm.
// Counter to watch: registers per thread; shared memory per block, 128 bytes a thread; occupancy and its limiter.
// Stops winning: shared memory limits occupancy, too: 128 bytes are as much as 32 registers.

// knob: BLOCK_X = 128 in 32..256  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// elements per block: 64 * BLOCK_X x 1
// order of tiles: line

#include "registers.cuh"

constexpr int kHalf = kPoints / 2;

extern "C" __global__ void transform64(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                                       int height) {
    // A column for each thread, which no other one touches: no barrier, and a bank for each lane.
    __shared__ unsigned kept[kHalf][BLOCK_X];
    const unsigned planes = planes_of(width, height);
    const unsigned group = blockIdx.x * BLOCK_X + threadIdx.x;
    copy_rest(source, target, width, height);
    if (group >= planes) return;
    unsigned value[kHalf];
    load_planes(value, source + group, planes);
    transform(value);
#pragma unroll
    for (int i = 0; i < kHalf; ++i) const_cast<volatile unsigned&>(kept[i][threadIdx.x]) = value[i];
    load_planes(value, source + group + size_t(kHalf) * planes, planes);
    transform(value);
    unsigned* low = target + group;
    unsigned* high = low + size_t(kHalf) * planes;
#pragma unroll
    for (int i = 0; i < kHalf; ++i, low += planes, high += planes) {
        const unsigned other = const_cast<volatile unsigned&>(kept[i][threadIdx.x]);
        *low = other + value[i];
        *high = other - value[i];
    }
}
