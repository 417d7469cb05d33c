// Registers r5: four threads for a group.
//
// Grew from r1. Four neighbouring lanes share the 64 numbers: each transforms 16 of them, then two rounds go from lane to
// lane by shuffles.
// Why it should win: a quarter of the numbers live in a thread: few registers, all warps resident, nothing spills.
// Counter to watch: registers per thread, theoretical occupancy; sectors per request stay those of whole sectors.
// Stops winning: four times the threads, and 32 shuffles each. On GPUs before 3.0 there are none.

// knob: BLOCK_X = 128 in 32..1024  threads of a block, whole warps of them work
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// elements per block: 16 * BLOCK_X x 1
// order of tiles: line
// needs compute capability: 3.0  shuffles

#include "registers.cuh"

constexpr int kLanes = 4;
constexpr int kEach = kPoints / kLanes;
constexpr int kGroups = 32 / kLanes;  // of a warp
constexpr int kWarps = BLOCK_X / 32;

extern "C" __global__ void transform64(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                                       int height) {
    const unsigned planes = planes_of(width, height);
    const unsigned lane = threadIdx.x % 32;
    const unsigned part = lane % kLanes;
    copy_rest(source, target, width, height);
    if (threadIdx.x >= 32 * kWarps) return;
    // Once, unless blocks are no whole warps. All lanes of a warp go round together, for their shuffles.
    unsigned begin = (blockIdx.x * kWarps + threadIdx.x / 32) * kGroups;
#pragma unroll 1
    for (; begin < planes; begin += gridDim.x * (kWarps * kGroups)) {
        const unsigned group = begin + lane / kLanes;
        const bool works = group < planes;
        const unsigned first = group + part * kEach * planes;
        unsigned value[kEach];
#pragma unroll
        for (int i = 0; i < kEach; ++i) value[i] = works ? source[first + i * planes] : 0;
        transform(value);
#pragma unroll
        for (int lanes = 1; lanes < kLanes; lanes *= 2) {
#pragma unroll
            for (int i = 0; i < kEach; ++i) {
                const unsigned other = __shfl_xor_sync(~0u, value[i], lanes);
                value[i] = part & lanes ? other - value[i] : value[i] + other;
            }
        }
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            if (works) target[first + i * planes] = value[i];
        }
    }
}
