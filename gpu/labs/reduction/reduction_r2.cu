// Reduction r2: interleaved addressing, threads side by side.
//
// Grew from r1. The threads that add are the first ones: number n adds the pair n.
// Why it should win: whole warps add or have nothing to do; no lane waits for its neighbour, and no remainder is computed.
// Counter to watch: active threads per warp go up, and wavefronts per shared memory request too: pairs lie 2, 4, 8, ...
// words apart, up to a 32-way bank conflict (16-way on 1.x).
// Stops winning: as soon as the conflicts take longer than what the branches took. See r3.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: HOT = 0 in 0..100  per cent of the values that are one and the same
// elements per block: 2048 x 1
// order of tiles: line

#include "reduction.cuh"

extern "C" __global__ void sum_runs(const unsigned* __restrict__ values, unsigned* __restrict__ sums, int width,
                                    int height) {
    __shared__ unsigned data[kRun];
    const Run run = run_of_block(values, width, height);
    for (int i = threadIdx.x; i < kRun; i += BLOCK_X) data[i] = run[i];

    for (int apart = 1; apart < kRun; apart *= 2) {
        __syncthreads();
        for (int pair = threadIdx.x; pair < kRun / (2 * apart); pair += BLOCK_X)
            data[2 * apart * pair] += data[2 * apart * pair + apart];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = data[0];
}
