// Sobel s1: one thread, one pixel, 8 reads from global memory, integer arithmetic.
//
// The start of every version: both gradients from the 3 x 3 neighbours, each read guarded by a test for
// the border, then the length of the gradient.
// Counter to watch: sectors per request; the cache serves 8 reads of 9 a neighbour has read before.
// Stops winning: the integer multiplies and the conversion before the square root. See s2.

// knob: BLOCK_X = 32 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#endif

// A pixel outside the picture counts as 0. Compared as unsigned, a negative position is a large one: one test for both
// sides.
static __device__ int pixel_at(const unsigned char* src, int x, int y, int width, int height) {
    const bool inside = unsigned(x) < unsigned(width) && unsigned(y) < unsigned(height);
    return inside ? src[y * width + x] : 0;
}

extern "C" __global__ void edge(const unsigned char* src, unsigned char* dst, int width, int height) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x;
    const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;

    // Read the 8 neighbours; the middle has no weight.
    const int north_west = pixel_at(src, x - 1, y - 1, width, height);
    const int north = pixel_at(src, x, y - 1, width, height);
    const int north_east = pixel_at(src, x + 1, y - 1, width, height);
    const int west = pixel_at(src, x - 1, y, width, height);
    const int east = pixel_at(src, x + 1, y, width, height);
    const int south_west = pixel_at(src, x - 1, y + 1, width, height);
    const int south = pixel_at(src, x, y + 1, width, height);
    const int south_east = pixel_at(src, x + 1, y + 1, width, height);

    // Both gradients and the length of their sum.
    const int gx = north_east + 2 * east + south_east - north_west - 2 * west - south_west;
    const int gy = north_west + 2 * north + north_east - south_west - 2 * south - south_east;
    dst[y * width + x] = min(255, int(sqrtf(float(gx * gx + gy * gy))));
}
