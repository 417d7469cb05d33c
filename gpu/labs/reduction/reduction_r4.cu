// Reduction r4: add while loading.
//
// Grew from r3. A thread adds up its values (8 with 256 threads) in a register; only one sum a thread goes to shared memory.
// Why it should win: the tree is over 256 words instead of 2048: fewer instructions, fewer barriers, an eighth of the shared
// memory.
// Counter to watch: instructions and barriers; shared memory per block.
// Stops winning: its last steps have a warp at work and a barrier for all. See r5.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: HOT = 0 in 0..100  per cent of the values that are one and the same
// elements per block: 2048 x 1
// order of tiles: line

#include "reduction.cuh"

extern "C" __global__ void sum_runs(const unsigned* __restrict__ values, unsigned* __restrict__ sums, int width,
                                    int height) {
    __shared__ unsigned data[BLOCK_X];
    const Run run = run_of_block(values, width, height);
    unsigned sum = 0;
#pragma unroll
    for (int i = threadIdx.x; i < kRun; i += BLOCK_X) sum += run[i];
    data[threadIdx.x] = sum;

    // Any number of threads: the middle word of an odd number waits for the next step.
    for (int live = BLOCK_X; live > 1; live = (live + 1) / 2) {
        __syncthreads();
        if (int(threadIdx.x) < live / 2) data[threadIdx.x] += data[threadIdx.x + (live + 1) / 2];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = data[0];
}
