// Matrix multiplication m3: tiles in shared memory.
//
// Grew from m2. A block goes through k in steps of KSTEP: it copies so many columns of its rows of A and so many rows of its
// columns of B to shared memory, and all its threads multiply from there.
// Why it should win: an element of A is read from global memory once for BLOCK_X results, one of B once for BLOCK_Y.
// Counter to watch: bytes transferred from global memory; the FLOP per byte that follow from them.
// Stops winning: still two loads for a multiply-add, from shared memory now: the LSU pipe is the limit as before.

// knob: BLOCK_X = 32 in 8..32  columns of the block's tile of C
// knob: BLOCK_Y = 32 in 8..32  rows of the block's tile of C
// knob: KSTEP = 32 in 4..64  columns of A and rows of B that lie in shared memory
// elements per block: BLOCK_X x BLOCK_Y

#include "matmul.cuh"

#ifndef BLOCK_X
#define BLOCK_X 32
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 32
#endif
#ifndef KSTEP
#define KSTEP 32
#endif

constexpr int kThreads = BLOCK_X * BLOCK_Y;

extern "C" __global__ void sgemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                 int width, int height) {
    __shared__ float tile_a[BLOCK_Y][KSTEP];
    __shared__ float tile_b[KSTEP][BLOCK_X];
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);  // so that the loops are unrolled
    const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
    const int top = blockIdx.y * BLOCK_Y;
    const int left = blockIdx.x * BLOCK_X;
    float sum = 0;
    for (int first = 0; first < height; first += KSTEP) {
        // Copy the tiles of this step, all threads together.
        for (int i = thread; i < BLOCK_Y * KSTEP; i += kThreads)
            tile_a[i / KSTEP][i % KSTEP] = element_or_zero(a, top + i / KSTEP, first + i % KSTEP, height, height);
        for (int i = thread; i < KSTEP * BLOCK_X; i += kThreads)
            tile_b[i / BLOCK_X][i % BLOCK_X] = element_or_zero(b, first + i / BLOCK_X, left + i % BLOCK_X, height, width);
        __syncthreads();

        // Multiply.
#pragma unroll
        for (int k = 0; k < KSTEP; ++k) sum = fmaf(tile_a[threadIdx.y][k], tile_b[k][threadIdx.x], sum);
        __syncthreads();
    }
    const int row = top + threadIdx.y;
    const int column = left + threadIdx.x;
    if (row < height && column < width) c[size_t(row) * width + column] = sum;
}
