// Gray c1: one thread turns one RGBA pixel into one gray byte.
//
// The start of every version. Nothing is shared between threads, so there is nothing to gain from a
// cache: the kernel reads 4 bytes and writes 1, and device memory sets its pace.
// Counter to watch: effective bandwidth against the GPU's theoretical bandwidth.
// Stops winning: at once; one byte a thread is a narrow store. See c2.

// knob: BLOCK_X = 32 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#endif

extern "C" __global__ void gray(const uchar4* src, unsigned char* dst, int width, int height) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x;
    const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;

    // Weigh the colours. Each operation rounds on its own: a fused multiply-add would change some pixels.
    const uchar4 pixel = src[y * width + x];
    const float red = __fmul_rn(0.299f, pixel.x);
    const float green = __fmul_rn(0.587f, pixel.y);
    const float blue = __fmul_rn(0.114f, pixel.z);
    dst[y * width + x] = min(255, int(__fadd_rn(__fadd_rn(red, green), blue)));
}
