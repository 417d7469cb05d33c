// Matrix multiplication m4: a column of results in registers.
//
// Grew from m3. A thread computes ROWS elements of C below each other: it loads one element of B for all of them.
// Why it should win: 1 + ROWS loads from shared memory for ROWS multiply-adds instead of 2 * ROWS, and ROWS sums that do not
// wait for each other.
// Counter to watch: shared load requests for a multiply-add; registers per thread.
// Stops winning: the element of A is still loaded for a single multiply-add.

// knob: BLOCK_X = 64 in 64..64  columns of the block's tile of C
// knob: BLOCK_Y = 8 in 8..8  threads of a block, below each other
// knob: ROWS = 8 in 1..16  rows of a thread
// knob: KSTEP = 8 in 4..32  columns of A and rows of B that lie in shared memory
// elements per block: BLOCK_X x ROWS * BLOCK_Y

#include "matmul.cuh"

#ifndef BLOCK_X
#define BLOCK_X 64
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif
#ifndef ROWS
#define ROWS 8
#endif
#ifndef KSTEP
#define KSTEP 8
#endif

constexpr int kThreads = BLOCK_X * BLOCK_Y;
constexpr int kTileRows = ROWS * BLOCK_Y;

extern "C" __global__ void sgemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                 int width, int height) {
    __shared__ float tile_a[kTileRows][KSTEP];
    __shared__ float tile_b[KSTEP][BLOCK_X];
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);  // so that the loops are unrolled
    const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
    const int top = blockIdx.y * kTileRows;
    const int left = blockIdx.x * BLOCK_X;
    float sums[ROWS] = {};
    for (int first = 0; first < height; first += KSTEP) {
        // Copy the tiles of this step, all threads together.
        for (int i = thread; i < kTileRows * KSTEP; i += kThreads)
            tile_a[i / KSTEP][i % KSTEP] = element_or_zero(a, top + i / KSTEP, first + i % KSTEP, height, height);
        for (int i = thread; i < KSTEP * BLOCK_X; i += kThreads)
            tile_b[i / BLOCK_X][i % BLOCK_X] = element_or_zero(b, first + i / BLOCK_X, left + i % BLOCK_X, height, width);
        __syncthreads();

        // Multiply: an element of B for all rows.
#pragma unroll
        for (int k = 0; k < KSTEP; ++k) {
            const float of_b = tile_b[k][threadIdx.x];
#pragma unroll
            for (int i = 0; i < ROWS; ++i) sums[i] = fmaf(tile_a[threadIdx.y * ROWS + i][k], of_b, sums[i]);
        }
        __syncthreads();
    }
    const int column = left + threadIdx.x;
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
        const int row = top + threadIdx.y * ROWS + i;
        if (row < height && column < width) c[size_t(row) * width + column] = sums[i];
    }
}
