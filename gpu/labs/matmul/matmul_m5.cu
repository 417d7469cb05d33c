// Matrix multiplication m5: a tile of results in registers.
//
// Grew from m4. A thread computes ROWS x COLUMNS elements of C: it loads ROWS elements of A and COLUMNS of B and multiplies
// each with each. Its rows and columns lie BLOCK_Y and BLOCK_X apart, so that lanes lie side by side.
// Why it should win: 16 loads from shared memory for 64 multiply-adds: the FMA pipe becomes the limit.
// Counter to watch: shared load requests for a multiply-add; registers per thread against occupancy.
// Stops winning: more than 8 x 8 sums leave registers for few warps, then spill. Matrices that make fewer tiles than the GPU
// has multiprocessors leave some of them idle.

// knob: BLOCK_X = 16 in 8..32  threads of a block, beside each other
// knob: BLOCK_Y = 16 in 8..32  threads of a block, below each other
// knob: COLUMNS = 8 in 1..8  columns of a thread
// knob: ROWS = 8 in 1..8  rows of a thread
// knob: KSTEP = 8 in 4..16  columns of A and rows of B that lie in shared memory
// elements per block: COLUMNS * BLOCK_X x ROWS * BLOCK_Y

#include "matmul.cuh"

#ifndef BLOCK_X
#define BLOCK_X 16
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 16
#endif
#ifndef COLUMNS
#define COLUMNS 8
#endif
#ifndef ROWS
#define ROWS 8
#endif
#ifndef KSTEP
#define KSTEP 8
#endif

constexpr int kThreads = BLOCK_X * BLOCK_Y;
constexpr int kTileColumns = COLUMNS * BLOCK_X;
constexpr int kTileRows = ROWS * BLOCK_Y;

extern "C" __global__ void __launch_bounds__(kThreads)
    sgemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int width, int height) {
    __shared__ float tile_a[kTileRows][KSTEP];
    __shared__ float tile_b[KSTEP][kTileColumns];
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);  // so that the loops are unrolled
    const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
    const int top = blockIdx.y * kTileRows;
    const int left = blockIdx.x * kTileColumns;
    float sums[ROWS][COLUMNS] = {};
    for (int first = 0; first < height; first += KSTEP) {
        // Copy the tiles of this step, all threads together.
        for (int i = thread; i < kTileRows * KSTEP; i += kThreads)
            tile_a[i / KSTEP][i % KSTEP] = element_or_zero(a, top + i / KSTEP, first + i % KSTEP, height, height);
        for (int i = thread; i < KSTEP * kTileColumns; i += kThreads)
            tile_b[i / kTileColumns][i % kTileColumns] =
                element_or_zero(b, first + i / kTileColumns, left + i % kTileColumns, height, width);
        __syncthreads();

        // Multiply each row's element with each column's.
#pragma unroll
        for (int k = 0; k < KSTEP; ++k) {
            float of_a[ROWS];
            float of_b[COLUMNS];
#pragma unroll
            for (int i = 0; i < ROWS; ++i) of_a[i] = tile_a[threadIdx.y + i * BLOCK_Y][k];
#pragma unroll
            for (int j = 0; j < COLUMNS; ++j) of_b[j] = tile_b[k][threadIdx.x + j * BLOCK_X];
#pragma unroll
            for (int i = 0; i < ROWS; ++i) {
#pragma unroll
                for (int j = 0; j < COLUMNS; ++j) sums[i][j] = fmaf(of_a[i], of_b[j], sums[i][j]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
        const int row = top + threadIdx.y + i * BLOCK_Y;
#pragma unroll
        for (int j = 0; j < COLUMNS; ++j) {
            const int column = left + threadIdx.x + j * BLOCK_X;
            if (row < height && column < width) c[size_t(row) * width + column] = sums[i][j];
        }
    }
}
