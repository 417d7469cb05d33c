// Reduction r7: the sum of a warp as one instruction.
//
// Grew from r6. __reduce_add_sync adds up the lanes of a warp in hardware.
// Why it should win: one instruction for ten.
// Counter to watch: instructions of a block.
// Stops winning: there is nothing left to gain where memory decides; it exists for integers and from 8.0 on.

// needs compute capability: 8.0  sums of a warp in one instruction
// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: HOT = 0 in 0..100  per cent of the values that are one and the same
// elements per block: 2048 x 1
// order of tiles: line

#include "reduction.cuh"

constexpr int kWarps = BLOCK_X / 32;

extern "C" __global__ void sum_runs(const unsigned* __restrict__ values, unsigned* __restrict__ sums, int width,
                                    int height) {
    __shared__ unsigned of_warp[kWarps];
    const Run run = run_of_block(values, width, height);
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    if (warp < kWarps) {
        unsigned sum = 0;
        // A run begins at a multiple of 16 bytes; the last one may end within a word.
        const uint4* words = reinterpret_cast<const uint4*>(run.values);
        const int whole = run.length / 4;
#pragma unroll
        for (int i = threadIdx.x; i < kRun / 4; i += 32 * kWarps) {
            if (i >= whole) continue;
            const uint4 word = words[i];
            sum += word.x + word.y + (word.z + word.w);
        }
        if (4 * whole + threadIdx.x < run.length) sum += run.values[4 * whole + threadIdx.x];
        sum = __reduce_add_sync(~0u, sum);
        if (lane == 0) of_warp[warp] = sum;
    }
    __syncthreads();
    if (warp > 0) return;
    const unsigned sum = __reduce_add_sync(~0u, lane < kWarps ? of_warp[lane] : 0);
    if (lane == 0) sums[blockIdx.x] = sum;
}
