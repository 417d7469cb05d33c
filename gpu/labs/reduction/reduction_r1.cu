// Reduction r1: interleaved addressing, every second thread.
//
// Sums up 2048 values in shared memory by halves: neighbours first, then sums that are 2, 4, 8, ... apart. The threads whose
// number is a multiple of the distance add, the others wait.
// Why it should win: over one thread that adds 2048 values it wins much; a tree has 11 steps.
// Counter to watch: active threads per warp. In the second step half of the lanes of every warp have nothing to do, in the
// sixth all but one; and each step asks for a remainder.
// Stops winning: at once. See r2.

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
        for (int i = threadIdx.x; i < kRun; i += BLOCK_X) {
            if (i % (2 * apart) == 0) data[i] += data[i + apart];
        }
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = data[0];
}
