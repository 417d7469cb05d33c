// Classics: matrices and graphs of which few places are filled.

// Rows as a list (CSR), a thread for each.
extern "C" __global__ void csr_threads(float* y, const int* starts, const int* columns, const float* values, const float* x, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
}

// A warp for each.
extern "C" __global__ void csr_warps(float* y, const int* starts, const int* columns, const float* values, const float* x, int rows) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows) return;
    float sum = 0;
    for (int k = starts[row] + threadIdx.x % 32; k < starts[row + 1]; k += 32) sum += values[k] * x[columns[k]];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0) y[row] = sum;
}

// As many places in each row, the first of all rows first (ELL).
extern "C" __global__ void ell_rows(float* y, const int* columns, const float* values, const float* x, int filled, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int k = 0; k < filled; ++k) sum += values[k * rows + row] * x[columns[k * rows + row]];
    y[row] = sum;
}

// Nodes that one step reaches from those of a level.
extern "C" __global__ void breadth_first_step(int* next, const int* levels, const int* starts, const int* edges, int level, int nodes) {
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || levels[node] != level) return;
    for (int k = starts[node]; k < starts[node + 1]; ++k) atomicMax(&next[edges[k]], level + 1);
}
