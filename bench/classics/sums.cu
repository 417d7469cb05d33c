// Classics: one result of many values, by atomics, by shared memory and by shuffles.

__device__ float sum_of_warp(float v) {
    for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
    return v;
}

// A warp's sum is one atomic.
extern "C" __global__ void sum_atomic(float* sum, const float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float v = sum_of_warp(i < n ? x[i] : 0);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
}

// Half of the threads add in each round; 256 threads.
extern "C" __global__ void sum_tree(float* sums, const float* x, int n) {
    __shared__ float part[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 256 + t;
    part[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step) part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

// The same with neighbours first: threads that work lie apart, and their words meet in banks.
extern "C" __global__ void sum_tree_interleaved(float* sums, const float* x, int n) {
    __shared__ float part[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 256 + t;
    part[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        const int at = 2 * step * t;
        if (at < 256) part[at] += part[at + step];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

// Sixteen values a thread, then shuffles; 256 threads.
extern "C" __global__ void dot_product(float* sums, const float* x, const float* y, int n) {
    __shared__ float part[8];
    const int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 16; ++k) {
        const int i = (blockIdx.x * 16 + k) * 256 + t;
        if (i < n) sum += x[i] * y[i];
    }
    sum = sum_of_warp(sum);
    if (t % 32 == 0) part[t / 32] = sum;
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < 8; ++k) sum += part[k];
        sums[blockIdx.x] = sum;
    }
}

// The place of the largest value of a block's 4096; 256 threads.
extern "C" __global__ void largest_place(int* places, const float* x, int n) {
    __shared__ float best[8];
    __shared__ int where[8];
    const int t = threadIdx.x;
    float value = -1;
    int place = -1;
    for (int k = 0; k < 16; ++k) {
        const int i = (blockIdx.x * 16 + k) * 256 + t;
        if (i < n && x[i] > value) {
            value = x[i];
            place = i;
        }
    }
    for (int step = 16; step > 0; step /= 2) {
        const float other = __shfl_down_sync(0xffffffff, value, step);
        const int other_place = __shfl_down_sync(0xffffffff, place, step);
        if (other > value) {
            value = other;
            place = other_place;
        }
    }
    if (t % 32 == 0) {
        best[t / 32] = value;
        where[t / 32] = place;
    }
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < 8; ++k) {
            if (best[k] > value) {
                value = best[k];
                place = where[k];
            }
        }
        places[blockIdx.x] = place;
    }
}

// A thread adds the values of its column.
extern "C" __global__ void column_sums(float* sums, const float* matrix, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    float sum = 0;
    for (int y = 0; y < height; ++y) sum += matrix[(size_t)y * width + x];
    sums[x] = sum;
}

// A thread adds the values of its row: its neighbour's lie a row further.
extern "C" __global__ void row_sums(float* sums, const float* matrix, int width, int height) {
    const int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= height) return;
    float sum = 0;
    for (int x = 0; x < width; ++x) sum += matrix[(size_t)y * width + x];
    sums[y] = sum;
}
