// Matrix multiplication m1: the formula as it is written, and lanes below each other.
//
// Every thread computes one element of C: a row of A times a column of B. The lanes of a warp take elements below each
// other.
// Why it should win: it does not; it is what the others are held against.
// Counter to watch: sectors per request: 32 rows of A, 32 sectors a load.
// Stops winning: everywhere. Every multiply-add needs two loads, and one of them reads 32 sectors for 32 words.

// knob: BLOCK_X = 32 in 1..1024  threads of a block, below each other
// knob: BLOCK_Y = 8 in 1..1024  threads of a block, beside each other
// elements per block: BLOCK_Y x BLOCK_X

#ifndef BLOCK_X
#define BLOCK_X 32
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif

extern "C" __global__ void sgemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                 int width, int height) {
    const int row = blockIdx.y * BLOCK_X + threadIdx.x;
    const int column = blockIdx.x * BLOCK_Y + threadIdx.y;
    if (row >= height || column >= width) return;
    float sum = 0;
    for (int k = 0; k < height; ++k) sum = fmaf(a[size_t(row) * height + k], b[size_t(k) * width + column], sum);
    c[size_t(row) * width + column] = sum;
}
