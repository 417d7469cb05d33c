// Classics: counting values in bins.

// Every value is an atomic on global memory.
extern "C" __global__ void histogram_global(unsigned* bins, const unsigned char* values, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[values[i]], 1u);
}

// In shared memory, 256 bins and 256 threads; a thread counts 16 values.
extern "C" __global__ void histogram_shared(unsigned* bins, const unsigned char* values, int n) {
    __shared__ unsigned own[256];
    const int t = threadIdx.x;
    own[t] = 0;
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
        const int i = (blockIdx.x * 16 + k) * 256 + t;
        if (i < n) atomicAdd(&own[values[i]], 1u);
    }
    __syncthreads();
    if (own[t] > 0) atomicAdd(&bins[t], own[t]);
}

// The same for four bins: lanes wait for each other.
extern "C" __global__ void histogram_contended(unsigned* bins, const unsigned char* values, int n) {
    __shared__ unsigned own[4];
    const int t = threadIdx.x;
    if (t < 4) own[t] = 0;
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
        const int i = (blockIdx.x * 16 + k) * 256 + t;
        if (i < n) atomicAdd(&own[values[i] % 4], 1u);
    }
    __syncthreads();
    if (t < 4) atomicAdd(&bins[t], own[t]);
}

// Bytes of a thread's own for 16 bins, so that nothing waits; 128 threads, 64 values each.
extern "C" __global__ void histogram_private(unsigned* bins, const unsigned char* values, int n) {
    __shared__ unsigned char own[16][128];
    const int t = threadIdx.x;
    for (int bin = 0; bin < 16; ++bin) own[bin][t] = 0;
    for (int k = 0; k < 64; ++k) {
        const int i = (blockIdx.x * 64 + k) * 128 + t;
        if (i < n) ++own[values[i] % 16][t];
    }
    __syncthreads();
    if (t < 16) {
        unsigned sum = 0;
        for (int k = 0; k < 128; ++k) sum += own[t][(k + t) % 128];
        bins[blockIdx.x * 16 + t] = sum;
    }
}

// Digits of four bits that a radix sort counts: one vote for each bit, and a table for each warp.
extern "C" __global__ void radix_digits(unsigned* counts, const unsigned* keys, int shift, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool there = i < n;
    const unsigned digit = there ? keys[i] >> shift & 15 : 16;
    const int lane = threadIdx.x % 32;
    unsigned same = __ballot_sync(0xffffffff, there);
    for (int bit = 0; bit < 4; ++bit) {
        const unsigned set = __ballot_sync(0xffffffff, digit >> bit & 1);
        same &= (lane >> bit & 1) ? set : ~set;
    }
    if (lane < 16) counts[i / 32 * 16 + lane] = __popc(same);
}
