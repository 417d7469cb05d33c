// Mandelbrot d3: squares that launch their quarters (dynamic parallelism).
//
// Grew from o64, o32, o16 and fill: the host launches the largest squares alone. A block whose border is alike fills
// its square; else one of its threads launches a grid of four blocks, one for each quarter, down to 16 x 16 pixels.
// Why it should win: no level waits for the one before, and there is no block that has nothing to do.
// Counter to watch: grids launched from kernels; four small blocks hardly repay what each of them costs.
// Stops winning: with small grids; and 2048 of them may wait. A launch that finds no room fails, and the block does the
// work itself.

// knob: BLOCK_X = 64 in 32..256  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: DWELL = 512 in 16..4096  rounds after which a point counts as inside
// knob: ZOOM = 0 in 0..6  how often the side of what is shown is halved
// elements per block: 64 x 64
// needs compute capability: 3.5  launches from kernels

#include "mandelbrot.cuh"

__global__ void quarters(const float* plane, unsigned char* out, int left, int top, int side, int width, int height);

static __device__ void region(const float* plane, unsigned char* out, int left, int top, int side, int width,
                              int height) {
    const Area area = area_of(left, top, side, width, height);
    if (area.empty()) return;
    const int common = common_dwell(plane, area);
    if (common != kOpen) return fill(out, area, common, width);
    if (side == kSmallest) return each_pixel(plane, out, area, width);
    // The grid begins when it can: nobody here waits for it.
    __shared__ bool refused;
    if (threadIdx.x == 0) {
        quarters<<<dim3(2, 2), BLOCK_X>>>(plane, out, left, top, side / 2, width, height);
        refused = cudaGetLastError() != cudaSuccess;
    }
    __syncthreads();
    if (!refused) return;
    if (side == kLargest)
        split<kLargest>(plane, out, left, top, width, height);
    else
        split<kLargest / 2>(plane, out, left, top, width, height);
}

__global__ void quarters(const float* plane, unsigned char* out, int left, int top, int side, int width, int height) {
    region(plane, out, left + blockIdx.x * side, top + blockIdx.y * side, side, width, height);
}

extern "C" __global__ void regions(const float* __restrict__ plane, unsigned char* __restrict__ out, int width,
                                   int height) {
    region(plane, out, blockIdx.x * kLargest, blockIdx.y * kLargest, kLargest, width, height);
}
