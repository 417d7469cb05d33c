// Mandelbrot o16: the borders of squares of 16 x 16 pixels, the third level.
//
// Grew from o32. The host does not know which squares are open, so that it launches a block for each; where the square
// around it was alike, the block hands on what is known and ends.
// Why it should win: only what is open costs more than a word.
// Counter to watch: the blocks of the launch against those that compute anything.
// Stops winning: the launch has to wait for all of the level before, and most of its blocks may have nothing to do.

// knob: BLOCK_X = 64 in 32..256  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: DWELL = 512 in 16..4096  rounds after which a point counts as inside
// knob: ZOOM = 0 in 0..6  how often the side of what is shown is halved
// elements per block: 16 x 16
// needs compute capability: 2.0  votes of a block

#include "mandelbrot.cuh"

extern "C" __global__ void outline_open(const float* __restrict__ plane, const int* __restrict__ above,
                                        int* __restrict__ marks, int width, int height) {
    constexpr int kSide = 16;
    const int across = (width + 2 * kSide - 1) / (2 * kSide);
    int common = above[blockIdx.y / 2 * across + blockIdx.x / 2];
    if (common == kOpen)
        common = common_dwell(plane, area_of(blockIdx.x * kSide, blockIdx.y * kSide, kSide, width, height));
    if (threadIdx.x == 0) marks[blockIdx.y * gridDim.x + blockIdx.x] = common;
}
