// Mandelbrot fill: the picture from what is known of squares of 16 x 16 pixels, the last launch of the host's.
//
// A thread has a pixel: the shade of its square where that is alike, else it computes its own.
// Why it should win: most pixels cost a load instead of hundreds of rounds.
// Counter to watch: instructions, against d1.
// Stops winning: where most squares are open.

// knob: BLOCK_X = 32 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 4 in 1..32  threads of a block along a column
// knob: DWELL = 512 in 16..4096  rounds after which a point counts as inside
// knob: ZOOM = 0 in 0..6  how often the side of what is shown is halved

#include "mandelbrot.cuh"

extern "C" __global__ void fill_picture(const float* __restrict__ plane, const int* __restrict__ marks,
                                        unsigned char* __restrict__ out, int width, int height) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x;
    const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int across = (width + kSmallest - 1) / kSmallest;
    int dwell = marks[y / kSmallest * across + x / kSmallest];
    if (dwell == kOpen) dwell = dwell_at(plane, x, y);
    out[y * size_t(width) + x] = shade(dwell);
}
