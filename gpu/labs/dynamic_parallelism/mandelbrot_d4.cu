// Mandelbrot d4: one launch for all that is open in a square.
//
// Grew from d3. A block whose border is open computes the borders of its quarters itself, and launches one grid for the
// squares of 16 x 16 pixels in those that are open, too.
// Why it should win: one grid of 4 to 16 blocks instead of up to five of four, and none of them launches again.
// Counter to watch: grids launched from kernels.
// Stops winning: where a launch costs more than what it spreads, d5 does without any.

// knob: BLOCK_X = 64 in 32..256  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: DWELL = 512 in 16..4096  rounds after which a point counts as inside
// knob: ZOOM = 0 in 0..6  how often the side of what is shown is halved
// elements per block: 64 x 64
// needs compute capability: 3.5  launches from kernels

#include "mandelbrot.cuh"

constexpr int kQuarter = kLargest / 2;

// Of a quarter whose bit is set; four blocks have the same one.
static __device__ int quarter_number(unsigned open, int n) {
    for (; n > 0; --n) open &= open - 1;
    return __ffs(open) - 1;
}

__global__ void smallest(const float* plane, unsigned char* out, int left, int top, unsigned open, int width,
                         int height) {
    const Area quarter = quarter_of(quarter_number(open, blockIdx.x / 4), left, top, kLargest, width, height);
    const Area area = quarter_of(blockIdx.x % 4, quarter.left, quarter.top, kQuarter, width, height);
    if (area.empty()) return;
    const int common = common_dwell(plane, area);
    if (common != kOpen)
        fill(out, area, common, width);
    else
        each_pixel(plane, out, area, width);
}

extern "C" __global__ void regions(const float* __restrict__ plane, unsigned char* __restrict__ out, int width,
                                   int height) {
    const int left = blockIdx.x * kLargest;
    const int top = blockIdx.y * kLargest;
    const Area whole = area_of(left, top, kLargest, width, height);
    const int common = common_dwell(plane, whole);
    if (common != kOpen) return fill(out, whole, common, width);
    // A bit for each quarter that is open, the same in all threads.
    unsigned open = 0;
    for (int n = 0; n < 4; ++n) {
        const Area area = quarter_of(n, left, top, kLargest, width, height);
        if (area.empty()) continue;
        const int dwell = common_dwell(plane, area);
        if (dwell == kOpen)
            open |= 1u << n;
        else
            fill(out, area, dwell, width);
    }
    if (open == 0) return;
    __shared__ bool refused;
    if (threadIdx.x == 0) {
        smallest<<<4 * __popc(open), BLOCK_X>>>(plane, out, left, top, open, width, height);
        refused = cudaGetLastError() != cudaSuccess;
    }
    __syncthreads();
    if (!refused) return;
    for (; open != 0; open &= open - 1) {
        const Area area = quarter_of(__ffs(open) - 1, left, top, kLargest, width, height);
        split<kQuarter>(plane, out, area.left, area.top, width, height);
    }
}
