// Classics: running sums of a block's values, 512 or 256 of them, and what is built on them.

// Hillis and Steele: every thread adds in every round.
extern "C" __global__ void scan_hillis_steele(int* out, const int* in, int n) {
    __shared__ int sums[2][512];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 512 + t;
    int from = 0;
    sums[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < 512; step *= 2) {
        sums[1 - from][t] = sums[from][t] + (t >= step ? sums[from][t - step] : 0);
        from = 1 - from;
        __syncthreads();
    }
    if (i < n) out[i] = sums[from][t];
}

// Blelloch: up a tree and down again, 256 threads for 512 values; the words of a round meet in banks.
extern "C" __global__ void scan_blelloch(int* out, const int* in, int n) {
    __shared__ int sums[512];
    const int t = threadIdx.x;
    const int first = blockIdx.x * 512 + t;
    sums[t] = first < n ? in[first] : 0;
    sums[t + 256] = first + 256 < n ? in[first + 256] : 0;
    int step = 1;
    for (int threads = 256; threads > 0; threads /= 2) {
        __syncthreads();
        if (t < threads) sums[step * (2 * t + 2) - 1] += sums[step * (2 * t + 1) - 1];
        step *= 2;
    }
    if (t == 0) sums[511] = 0;
    for (int threads = 1; threads < 512; threads *= 2) {
        step /= 2;
        __syncthreads();
        if (t < threads) {
            const int low = step * (2 * t + 1) - 1;
            const int high = step * (2 * t + 2) - 1;
            const int before = sums[low];
            sums[low] = sums[high];
            sums[high] += before;
        }
    }
    __syncthreads();
    if (first < n) out[first] = sums[t];
    if (first + 256 < n) out[first + 256] = sums[t + 256];
}

__device__ int scan_of_warp(int v) {
    const int lane = threadIdx.x % 32;
    for (int step = 1; step < 32; step *= 2) {
        const int before = __shfl_up_sync(0xffffffff, v, step);
        if (lane >= step) v += before;
    }
    return v;
}

// Shuffles within a warp, then the sums of the warps; 256 threads.
extern "C" __global__ void scan_shuffles(int* out, const int* in, int n) {
    __shared__ int of_warps[8];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 256 + t;
    int sum = scan_of_warp(i < n ? in[i] : 0);
    if (t % 32 == 31) of_warps[t / 32] = sum;
    __syncthreads();
    for (int k = 0; k < t / 32; ++k) sum += of_warps[k];
    if (i < n) out[i] = sum;
}

// The values of a block that are not below the limit, moved together at its begin; 256 threads.
extern "C" __global__ void compact(float* out, int* counts, const float* in, float limit, int n) {
    __shared__ int of_warps[8];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 256 + t;
    const float v = i < n ? in[i] : -1;
    const bool kept = v >= limit;
    const unsigned votes = __ballot_sync(0xffffffff, kept);
    if (t % 32 == 0) of_warps[t / 32] = __popc(votes);
    __syncthreads();
    int at = __popc(votes & ((1u << t % 32) - 1));
    for (int k = 0; k < t / 32; ++k) at += of_warps[k];
    if (kept) out[blockIdx.x * 256 + at] = v;
    if (t == 255) counts[blockIdx.x] = at + kept;
}
