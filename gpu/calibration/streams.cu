// Streams: how fast device memory is where a launch goes through it once from one end to the other, as most kernels do.
//
// A block of 256 threads has the next 8 KiB, eight words of each thread; what was given out last lies side by side, in the order of
// blocks. Work grows by blocks, not by rounds of blocks that stay: those drift apart, until as many places are read and written
// as there are blocks, and device memory opens a row for each.
// Counter to watch: the throughput of device memory.
// Where it stops winning: a launch that is over before all of memory's channels have something to do.

#include "microbenchmark.cuh"

constexpr int kWords = 8;  // of a thread

// `choice`: the region's words of 4 bytes, less one: it has a power of two.
static __device__ __forceinline__ unsigned word_of(int i, unsigned mask) {
    return ((blockIdx.x * kWords + i) * blockDim.x + threadIdx.x) & mask;
}

extern "C" __global__ void __launch_bounds__(256) stream_in(Span* spans, unsigned char* data, Rounds, Rounds choice) {
    const unsigned* words = reinterpret_cast<const unsigned*>(data);
    const Watch watch;
    unsigned word[kWords], sum = 0;
#pragma unroll
    for (int i = 0; i < kWords; ++i) word[i] = words[word_of(i, unsigned(choice))];
#pragma unroll
    for (int i = 0; i < kWords; ++i) sum += word[i];
    watch.stop(spans, sum);
}

extern "C" __global__ void __launch_bounds__(256) stream_out(Span* spans, unsigned char* data, Rounds rounds, Rounds choice) {
    unsigned* words = reinterpret_cast<unsigned*>(data);
    const Watch watch;
#pragma unroll
    for (int i = 0; i < kWords; ++i) words[word_of(i, unsigned(choice))] = unsigned(rounds);
    watch.stop(spans, 0);
}

// From the region's first half to its second one, of which `choice` is the words of one.
extern "C" __global__ void __launch_bounds__(256) stream_through(Span* spans, unsigned char* data, Rounds, Rounds choice) {
    const unsigned mask = unsigned(choice) / 2;
    const unsigned* from = reinterpret_cast<const unsigned*>(data);
    unsigned* to = reinterpret_cast<unsigned*>(data) + mask + 1;
    const Watch watch;
    unsigned word[kWords];
#pragma unroll
    for (int i = 0; i < kWords; ++i) word[i] = from[word_of(i, mask)];
#pragma unroll
    for (int i = 0; i < kWords; ++i) to[word_of(i, mask)] = word[i];
    watch.stop(spans, 0);
}
