// Matrix multiplication m2: coalesced.
//
// Grew from m1. The lanes of a warp take elements beside each other: they share the element of A and read 32 elements of a
// row of B.
// Why it should win: a load of B is 4 sectors and one of A is one, instead of 32 and one.
// Counter to watch: sectors per request.
// Stops winning: two loads for a multiply-add remain. Caches serve them, and the LSU pipe is the limit, not the FMA pipe.

// knob: BLOCK_X = 32 in 1..1024  threads of a block, beside each other
// knob: BLOCK_Y = 8 in 1..1024  threads of a block, below each other
// elements per block: BLOCK_X x BLOCK_Y

#ifndef BLOCK_X
#define BLOCK_X 32
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif

extern "C" __global__ void sgemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                 int width, int height) {
    const int row = blockIdx.y * BLOCK_Y + threadIdx.y;
    const int column = blockIdx.x * BLOCK_X + threadIdx.x;
    if (row >= height || column >= width) return;
    float sum = 0;
    for (int k = 0; k < height; ++k) sum = fmaf(a[size_t(row) * height + k], b[size_t(k) * width + column], sum);
    c[size_t(row) * width + column] = sum;
}
