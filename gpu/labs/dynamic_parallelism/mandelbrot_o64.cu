// Mandelbrot o64: the borders of squares of 64 x 64 pixels, the first level of those that the host launches.
//
// A block computes the border of its square. If all of it has the same number of rounds, so has what lies in it
// (Mariani and Silver's rule); the number is kept, else -1.
// Why it should win: 252 pixels instead of 4096 where the border is alike.
// Counter to watch: instructions, with those of the levels that follow, against d1.
// Stops winning: where few squares are alike the borders are computed for nothing.

// knob: BLOCK_X = 64 in 32..256  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: DWELL = 512 in 16..4096  rounds after which a point counts as inside
// knob: ZOOM = 0 in 0..6  how often the side of what is shown is halved
// elements per block: 64 x 64
// needs compute capability: 2.0  votes of a block

#include "mandelbrot.cuh"

extern "C" __global__ void outline(const float* __restrict__ plane, int* __restrict__ marks, int width, int height) {
    const Area area = area_of(blockIdx.x * kLargest, blockIdx.y * kLargest, kLargest, width, height);
    const int common = common_dwell(plane, area);
    if (threadIdx.x == 0) marks[blockIdx.y * gridDim.x + blockIdx.x] = common;
}
