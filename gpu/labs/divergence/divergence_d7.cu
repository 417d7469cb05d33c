// Divergence d7: sorted first.
//
// Grew from d5. The block puts its values into shared memory in the order of their paths; then threads next to each other
// take the same path, and at most one warp has both.
// Why it should win: a sort within the block is some dozen instructions, a path more than a hundred.
// Counter to watch: active threads per warp; barriers and atomics are the price.
// Stops winning: where the paths are short, or warps agree anyway.

// needs compute capability: 1.2  atomics on shared memory
// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: SHARE = 50 in 0..100  per cent of the values that take the first path
// knob: PATTERN = 0 in 0..3  where they are: 0 anywhere, 1 every n-th, 2 whole groups of 32, 3 all at the front
// elements per block: BLOCK_X x 1
// order of tiles: line

#include "divergence.cuh"

extern "C" __global__ void data(const unsigned* __restrict__ values, unsigned* __restrict__ results, int width,
                               int height) {
    const unsigned count = unsigned(width) * height;
    const unsigned i = element();
    __shared__ unsigned sorted[BLOCK_X];
    __shared__ unsigned short origin[BLOCK_X];
    __shared__ unsigned firsts, seconds;
    if (threadIdx.x == 0) firsts = seconds = 0;
    __syncthreads();

    // Those of the first path from the front on, the others from the back; their order does not matter.
    const unsigned value = i < count ? values[i] : 0;
    if (i < count) {
        const unsigned place = value & 1 ? atomicAdd(&firsts, 1u) : BLOCK_X - 1 - atomicAdd(&seconds, 1u);
        sorted[place] = value;
        origin[place] = threadIdx.x;
    }
    __syncthreads();

    // The last block has places that nobody filled between both.
    const bool takes_first = threadIdx.x < firsts;
    if (!takes_first && threadIdx.x < BLOCK_X - seconds) return;
    const unsigned mine = sorted[threadIdx.x];
    const unsigned result = takes_first ? path<0>(mine) : path<1>(mine);
    results[blockIdx.x * BLOCK_X + origin[threadIdx.x]] = result;
}
