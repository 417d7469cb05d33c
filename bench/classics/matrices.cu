// Classics: dense matrices, row by row in memory.

extern "C" __global__ void transpose_plain(float* out, const float* in, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

// Tiles of 32 x 32 with a column more, blocks of 32 x 8.
extern "C" __global__ void transpose_tiles(float* out, const float* in, int width, int height) {
    __shared__ float tile[32][33];
    const int x0 = blockIdx.x * 32;
    const int y0 = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += 8)
        if (x0 + threadIdx.x < width && y0 + k < height) tile[k][threadIdx.x] = in[(y0 + k) * width + x0 + threadIdx.x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
        if (y0 + threadIdx.x < height && x0 + k < width) out[(x0 + k) * height + y0 + threadIdx.x] = tile[threadIdx.x][k];
}

// A thread for each row.
extern "C" __global__ void matrix_vector_rows(float* y, const float* a, const float* x, int columns, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int k = 0; k < columns; ++k) sum += a[(size_t)row * columns + k] * x[k];
    y[row] = sum;
}

// A warp for each row.
extern "C" __global__ void matrix_vector_warps(float* y, const float* a, const float* x, int columns, int rows) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows) return;
    float sum = 0;
    for (int k = threadIdx.x % 32; k < columns; k += 32) sum += a[(size_t)row * columns + k] * x[k];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0) y[row] = sum;
}

// The matrix turned: a thread for each of its columns.
extern "C" __global__ void vector_matrix(float* y, const float* a, const float* x, int columns, int rows) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    float sum = 0;
    for (int k = 0; k < rows; ++k) sum += a[(size_t)k * columns + column] * x[k];
    y[column] = sum;
}

extern "C" __global__ void product_plain(float* c, const float* a, const float* b, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

extern "C" __global__ void product_doubles(double* c, const double* a, const double* b, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

// Tiles of 16 x 16 in shared memory.
extern "C" __global__ void product_tiles(float* c, const float* a, const float* b, int n) {
    __shared__ float tile_a[16][16];
    __shared__ float tile_b[16][16];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int x = blockIdx.x * 16 + tx;
    const int y = blockIdx.y * 16 + ty;
    float sum = 0;
    for (int first = 0; first < n; first += 16) {
        tile_a[ty][tx] = y < n && first + tx < n ? a[y * n + first + tx] : 0;
        tile_b[ty][tx] = x < n && first + ty < n ? b[(first + ty) * n + x] : 0;
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    if (x < n && y < n) c[y * n + x] = sum;
}

// Four rows of the result for a thread.
extern "C" __global__ void product_four(float* c, const float* a, const float* b, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
    if (x >= n) return;
    float sum[4] = {};
    for (int k = 0; k < n; ++k) {
        const float right = b[k * n + x];
#pragma unroll
        for (int r = 0; r < 4; ++r)
            if (y + r < n) sum[r] += a[(y + r) * n + k] * right;
    }
#pragma unroll
    for (int r = 0; r < 4; ++r)
        if (y + r < n) c[(y + r) * n + x] = sum[r];
}

extern "C" __global__ void outer_product(float* c, const float* a, const float* b, int columns, int rows) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) c[y * columns + x] = a[y] * b[x];
}

// One step of Gaussian elimination: row `k` is taken off those below.
extern "C" __global__ void elimination_step(float* out, const float* in, int k, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    float v = in[y * n + x];
    if (y > k && x >= k) v -= in[y * n + k] / in[k * n + k] * in[k * n + x];
    out[y * n + x] = v;
}

// One step of Floyd and Warshall: paths by way of `k`.
extern "C" __global__ void shortest_paths_step(int* out, const int* in, int k, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) out[y * n + x] = min(in[y * n + x], in[y * n + k] + in[k * n + x]);
}
