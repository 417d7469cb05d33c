// Matrix multiplication m6: words of 16 bytes.
//
// Grew from m5. Tiles are read from global memory in words of 16 bytes, A's is turned on its way to shared memory, and a
// thread reads four rows or four columns from there with one load. With WARP_TILES the threads of a warp lie 8 across and 4
// down, instead of 16 across and 2 down.
// Why it should win: 4 loads from shared memory for 64 multiply-adds. In warp tiles neighbouring lanes share what they load,
// of A and of B: a request of 16 bytes a lane takes 2 wavefronts instead of 4.
// Counter to watch: shared load requests and wavefronts; instructions for a multiply-add.
// Stops winning: sizes that are no multiple of 8 are read element by element. All threads wait for global memory at the same
// time, and multiply at the same time.

// knob: BLOCK_X = 16 in 8..32  threads of a block, beside each other
// knob: BLOCK_Y = 16 in 8..32  threads of a block, below each other
// knob: ACROSS = 2 in 1..3  columns of a thread, in fours
// knob: DOWN = 2 in 1..3  rows of a thread, in fours
// knob: KSTEP_LOG2 = 3 in 2..4  2 to the power of this: columns of A and rows of B in shared memory
// knob: MIN_BLOCKS = 2 in 1..4  blocks of 256 threads that must fit on a multiprocessor
// knob: WARP_TILES = 0 in 0..1  the threads of a warp lie 0: in rows of the block, 1: 8 across and 4 down
// elements per block: 4 * ACROSS * BLOCK_X x 4 * DOWN * BLOCK_Y

#ifndef WARP_TILES
#define WARP_TILES 0
#endif
#include "quads.cuh"

template <bool kWhole>
static __device__ __forceinline__ void multiply_tiles(Tiles& tiles, const float* __restrict__ a,
                                                      const float* __restrict__ b, float* __restrict__ c, int width,
                                                      int height) {
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);
    const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
    const Place place = place_of(thread);
    const int top = blockIdx.y * kTileRows;
    const int left = blockIdx.x * kTileColumns;
    Sums sums{};
    for (int first = 0; first < height; first += kStep) {
        Share share;
        load_share<kWhole>(share, a, b, thread, left, top, first, width, height);
        put_share(tiles, share, thread);
        __syncthreads();
        multiply(tiles, place, sums);
        __syncthreads();
    }
    store_sums<kWhole>(sums, place, c, left, top, width, height);
}

extern "C" __global__ void LAUNCH_BOUNDS sgemm(const float* __restrict__ a, const float* __restrict__ b,
                                               float* __restrict__ c, int width, int height) {
    __shared__ Tiles tiles;
    if (is_whole(width, height))
        multiply_tiles<true>(tiles, a, b, c, width, height);
    else
        multiply_tiles<false>(tiles, a, b, c, width, height);
}
