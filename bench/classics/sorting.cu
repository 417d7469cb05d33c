// Classics: steps of sorting networks, and sorting by counting.

// A block sorts 512 values in shared memory; 256 threads.
extern "C" __global__ void bitonic_shared(int* out, const int* in, int n) {
    __shared__ int v[512];
    const int t = threadIdx.x;
    const int first = blockIdx.x * 512;
    for (int k = t; k < 512; k += 256) v[k] = first + k < n ? in[first + k] : 0x7fffffff;
    for (int size = 2; size <= 512; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            const int low = 2 * t - (t & (step - 1));
            const bool up = (low & size) == 0;
            const int a = v[low];
            const int b = v[low + step];
            if ((a > b) == up) {
                v[low] = b;
                v[low + step] = a;
            }
        }
    }
    __syncthreads();
    for (int k = t; k < 512; k += 256)
        if (first + k < n) out[first + k] = v[k];
}

// One step of the network over all values, from one list into the other.
extern "C" __global__ void bitonic_step(int* out, const int* in, int size, int step, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int other = i ^ step;
    const int a = in[i];
    const int b = other < n ? in[other] : 0x7fffffff;
    const bool wants_low = ((i & step) == 0) == ((i & size) == 0);
    out[i] = wants_low ? min(a, b) : max(a, b);
}

// Odd and even neighbours in turn, in shared memory; 128 threads sort 256 values.
extern "C" __global__ void odd_even_shared(int* out, const int* in, int n) {
    __shared__ int v[256];
    const int t = threadIdx.x;
    const int first = blockIdx.x * 256;
    for (int k = t; k < 256; k += 128) v[k] = first + k < n ? in[first + k] : 0x7fffffff;
    __syncthreads();
    for (int round = 0; round < 256; ++round) {
        const int low = 2 * t + round % 2;
        if (low + 1 < 256 && v[low] > v[low + 1]) {
            const int a = v[low];
            v[low] = v[low + 1];
            v[low + 1] = a;
        }
        __syncthreads();
    }
    for (int k = t; k < 256; k += 128)
        if (first + k < n) out[first + k] = v[k];
}

// The place of each value is how many are smaller.
extern "C" __global__ void rank_sort(int* ranks, const int* in, int count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int self = in[i];
    int rank = 0;
    for (int k = 0; k < count; ++k) rank += in[k] < self;
    ranks[i] = rank;
}
