// Mandelbrot d1: every pixel by a thread.
//
// Each thread takes its point through rounds of z * z + c until z is far away, or DWELL of them.
// Why it should win: nothing is in the way: one launch, no thread asks another one.
// Counter to watch: instructions. Nearly all are spent on points that stay inside to the last round.
// Stops winning: where large areas are alike: the border of an area says what lies in it (o64 and what follows).

// knob: BLOCK_X = 32 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 4 in 1..32  threads of a block along a column
// knob: DWELL = 512 in 16..4096  rounds after which a point counts as inside
// knob: ZOOM = 0 in 0..6  how often the side of what is shown is halved

#include "mandelbrot.cuh"

extern "C" __global__ void pixels(const float* __restrict__ plane, unsigned char* __restrict__ out, int width,
                                  int height) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x;
    const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    out[y * size_t(width) + x] = shade(dwell_at(plane, x, y));
}
