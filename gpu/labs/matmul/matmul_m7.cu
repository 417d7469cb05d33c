// Matrix multiplication m7: double buffering by registers.
//
// Grew from m6. There are two tiles of each matrix. While a block multiplies from one, it loads the next step into registers,
// and puts that into the other tile afterwards.
// Why it should win: the wait for global memory lies under the multiply-adds, and a step has one barrier instead of two.
// Counter to watch: barriers; warps stall less on global memory and on barriers.
// Stops winning: what is under way takes registers, 8 a thread here, and shared memory twice.

// knob: BLOCK_X = 16 in 8..16  threads of a block, beside each other
// knob: BLOCK_Y = 16 in 8..16  threads of a block, below each other
// knob: ACROSS = 2 in 1..3  columns of a thread, in fours
// knob: DOWN = 2 in 1..3  rows of a thread, in fours
// knob: KSTEP_LOG2 = 3 in 2..4  2 to the power of this: columns of A and rows of B in a tile
// knob: MIN_BLOCKS = 2 in 1..4  blocks of 256 threads that must fit on a multiprocessor
// elements per block: 4 * ACROSS * BLOCK_X x 4 * DOWN * BLOCK_Y
// needs compute capability: 2.0  more than 16 KB of shared memory

#include "quads.cuh"

template <bool kWhole>
static __device__ __forceinline__ void multiply_tiles(Tiles (&tiles)[2], const float* __restrict__ a,
                                                      const float* __restrict__ b, float* __restrict__ c, int width,
                                                      int height) {
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);
    const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
    const Place place = place_of(thread);
    const int top = blockIdx.y * kTileRows;
    const int left = blockIdx.x * kTileColumns;
    Sums sums{};
    Share next;
    load_share<kWhole>(next, a, b, thread, left, top, 0, width, height);
    put_share(tiles[0], next, thread);
    __syncthreads();
    int now = 0;
    for (int first = 0; first < height; first += kStep, now ^= 1) {
        const bool more = first + kStep < height;
        if (more) load_share<kWhole>(next, a, b, thread, left, top, first + kStep, width, height);
        multiply(tiles[now], place, sums);
        // Nobody reads the other tile: all threads have passed the last barrier.
        if (more) put_share(tiles[now ^ 1], next, thread);
        __syncthreads();
    }
    store_sums<kWhole>(sums, place, c, left, top, width, height);
}

extern "C" __global__ void LAUNCH_BOUNDS sgemm(const float* __restrict__ a, const float* __restrict__ b,
                                               float* __restrict__ c, int width, int height) {
    __shared__ Tiles tiles[2];
    if (is_whole(width, height))
        multiply_tiles<true>(tiles, a, b, c, width, height);
    else
        multiply_tiles<false>(tiles, a, b, c, width, height);
}
