// Gray c2: one thread turns two RGBA pixels into two gray bytes.
//
// Grew from c1. A thread takes the pixel of its own column and the one BLOCK_X columns further, so both
// reads are in flight before either is used, and the lanes of a warp still touch consecutive addresses.
// Why it should win: two independent loads per thread hide more of the memory's latency, half as many
// threads are started. Counter to watch: effective bandwidth; instructions per pixel.
// Stops winning: where occupancy alone already fills the memory pipeline, or on pictures so small that
// half the threads no longer fill the GPU.

// knob: BLOCK_X = 32 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column
// elements per block: 2 * BLOCK_X x BLOCK_Y

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#endif

static __device__ unsigned char gray_of(uchar4 pixel) {
    // Each operation rounds on its own: a fused multiply-add would change some pixels.
    const float red = __fmul_rn(0.299f, pixel.x);
    const float green = __fmul_rn(0.587f, pixel.y);
    const float blue = __fmul_rn(0.114f, pixel.z);
    return min(255, __float2int_rz(__fadd_rn(__fadd_rn(red, green), blue)));
}

extern "C" __global__ void gray(const uchar4* src, unsigned char* dst, int width, int height) {
    const int x = blockIdx.x * (2 * BLOCK_X) + threadIdx.x;
    const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;

    // Ask for both pixels before either is needed.
    const int first = y * width + x;
    const bool has_second = x + BLOCK_X < width;
    const uchar4 pixel = src[first];
    const uchar4 second = has_second ? src[first + BLOCK_X] : pixel;

    dst[first] = gray_of(pixel);
    if (has_second) dst[first + BLOCK_X] = gray_of(second);
}
