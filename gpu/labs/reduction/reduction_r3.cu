// Reduction r3: sequential addressing.
//
// Grew from r2. The first half is added to, the second half is read: word n gets word n + 1024, then n + 512, and so on.
// Why it should win: lanes next to each other take words next to each other, one wavefront a request.
// Counter to watch: shared memory wavefronts per request, 1 (2 on 1.x).
// Stops winning: half of the threads do nothing in the first step already, and every value goes through shared memory
// twice. See r4.

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

    for (int half = kRun / 2; half > 0; half /= 2) {
        __syncthreads();
        for (int i = threadIdx.x; i < half; i += BLOCK_X) data[i] += data[i + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = data[0];
}
