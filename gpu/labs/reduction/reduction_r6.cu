// Reduction r6: words of 16 bytes.
//
// Grew from r5. A thread loads four values at once.
// Why it should win: a quarter of the load instructions, and more bytes of each thread under way.
// Counter to watch: load requests; sectors per request, 16.
// Stops winning: with enough warps the memory is busy anyway; on a GPU whose bandwidth r5 reaches it gains nothing.

// needs compute capability: 3.0  warp shuffles
// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: HOT = 0 in 0..100  per cent of the values that are one and the same
// elements per block: 2048 x 1
// order of tiles: line

#include "reduction.cuh"

constexpr int kWarps = BLOCK_X / 32;

extern "C" __global__ void sum_runs(const unsigned* __restrict__ values, unsigned* __restrict__ sums, int width,
                                    int height) {
    const Run run = run_of_block(values, width, height);
    unsigned sum = 0;
    if (threadIdx.x < 32 * kWarps) {
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
    }
    sum = sum_of_block<kWarps>(sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
