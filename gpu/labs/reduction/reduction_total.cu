// Reduction, last step: the sums of all runs to one.
//
// One block for all of them: there are 2048 times fewer than values.
// Why it should win: it only has to be there; it is the same in every version.
// Counter to watch: its share of the time, which grows as the first step becomes fast.
// Stops winning: with very many runs one block is not enough, and a second tree would be better.

// knob: BLOCK_X = 512 in 32..1024  threads of the block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// elements per block: 32768 x 16384
// order of tiles: line

#include "reduction.cuh"

extern "C" __global__ void sum_total(const unsigned* __restrict__ sums, unsigned* __restrict__ total, int width,
                                     int height) {
    __shared__ unsigned data[BLOCK_X];
    const unsigned count = unsigned((size_t(width) * height + kRun - 1) / kRun);
    unsigned sum = 0;
    for (unsigned i = threadIdx.x; i < count; i += BLOCK_X) sum += sums[i];
    data[threadIdx.x] = sum;

    // No shuffles, which GPUs before 3.0 do not have.
    for (int live = BLOCK_X; live > 1; live = (live + 1) / 2) {
        __syncthreads();
        if (int(threadIdx.x) < live / 2) data[threadIdx.x] += data[threadIdx.x + (live + 1) / 2];
    }
    if (threadIdx.x == 0) *total = data[0];
}
