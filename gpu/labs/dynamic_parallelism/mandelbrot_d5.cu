// Mandelbrot d5: a block does all of its square.
//
// Grew from d4. The block goes through what is open itself, square by square. Nothing is launched but by the host.
// Why it should win: the same pixels without the price of a launch, and the GPU has enough squares anyway.
// Counter to watch: instructions are as many as in d3; the time depends on the block with the most to do.
// Stops winning: where few squares hold nearly all the work: then most multiprocessors wait for those that have them.

// knob: BLOCK_X = 64 in 32..256  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: DWELL = 512 in 16..4096  rounds after which a point counts as inside
// knob: ZOOM = 0 in 0..6  how often the side of what is shown is halved
// elements per block: 64 x 64
// needs compute capability: 2.0  votes of a block

#include "mandelbrot.cuh"

extern "C" __global__ void regions(const float* __restrict__ plane, unsigned char* __restrict__ out, int width,
                                   int height) {
    const int left = blockIdx.x * kLargest;
    const int top = blockIdx.y * kLargest;
    const Area area = area_of(left, top, kLargest, width, height);
    const int common = common_dwell(plane, area);
    if (common != kOpen)
        fill(out, area, common, width);
    else
        split<kLargest>(plane, out, left, top, width, height);
}
