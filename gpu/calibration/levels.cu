// Levels: how fast L2 is with whole lines, with sectors and with parts of them, and device memory with the latter.
//
// As many blocks of 1024 threads as there is room for, whose threads go through a region together, word by word of 4 bytes as most
// kernels do. The region decides which level answers: it fits L2, or is many times as large. Loads go past L1 (ld.global.cg).
// Why eight words of each thread at a time: so much is in flight that no latency is waited for (Little's law).
// Counter to watch: the throughput of L2, and of device memory.
// Where it stops winning: with few multiprocessors they themselves are the limit, not what is behind them.

#include "microbenchmark.cuh"

constexpr int kWords = 8;  // that a thread waits for together

static __device__ __forceinline__ unsigned thread_of_grid() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}
static __device__ __forceinline__ unsigned threads_of_grid() {
    return gridDim.x * blockDim.x;
}
// A sector of a line that nobody else is at: of a thread the next of its own pseudo-random numbers.
class Wanderer {
  public:
    __device__ __forceinline__ Wanderer() : state_(thread_of_grid() * 2654435761u + 12345u) {}
    __device__ __forceinline__ unsigned next() {
        state_ = state_ * 1664525u + 1013904223u;
        return state_ >> 3 << 3;
    }

  private:
    unsigned state_;
};

// In all of them `choice` is the region's words of 4 bytes, less one: it has a power of two.

extern "C" __global__ void __launch_bounds__(1024) read_words(Span* spans, unsigned char* data, Rounds rounds, Rounds choice) {
    const unsigned mask = unsigned(choice), thread = thread_of_grid(), threads = threads_of_grid();
    unsigned sum = 0, at = thread;
    const Watch watch;
#pragma unroll 1
    for (Rounds round = 0; round < rounds; ++round) {
        unsigned word[kWords];
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
            asm volatile("ld.global.cg.u32 %0, [%1];"
                         : "=r"(word[i])
                         : "l"(__cvta_generic_to_global(data + size_t(at & mask) * 4)));
            at += threads;
        }
#pragma unroll
        for (int i = 0; i < kWords; ++i) sum += word[i];
    }
    watch.stop(spans, sum);
}

extern "C" __global__ void __launch_bounds__(1024) read_lines(Span* spans, unsigned char* data, Rounds rounds, Rounds choice) {
    const unsigned mask = unsigned(choice);
    unsigned sum = 0;
    Wanderer wanderer;
    const Watch watch;
#pragma unroll 1
    for (Rounds round = 0; round < rounds; ++round) {
        unsigned word[kWords];
#pragma unroll
        for (int i = 0; i < kWords; ++i)
            asm volatile("ld.global.cg.u32 %0, [%1];"
                         : "=r"(word[i])
                         : "l"(__cvta_generic_to_global(data + size_t(wanderer.next() & mask) * 4)));
#pragma unroll
        for (int i = 0; i < kWords; ++i) sum += word[i];
    }
    watch.stop(spans, sum);
}

extern "C" __global__ void __launch_bounds__(1024) write_words(Span* spans, unsigned char* data, Rounds rounds, Rounds choice) {
    const unsigned mask = unsigned(choice), thread = thread_of_grid(), threads = threads_of_grid();
    unsigned* words = reinterpret_cast<unsigned*>(data);
    unsigned at = thread;
    const Watch watch;
#pragma unroll 1
    for (Rounds round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
            words[at & mask] = unsigned(round);
            at += threads;
        }
    }
    watch.stop(spans, 0);
}

// Four of the 32 bytes of a sector, lanes' sectors side by side; another four in each round.
extern "C" __global__ void __launch_bounds__(1024) write_parts(Span* spans, unsigned char* data, Rounds rounds, Rounds choice) {
    const unsigned mask = unsigned(choice), threads = threads_of_grid();
    unsigned* words = reinterpret_cast<unsigned*>(data);
    unsigned sector = thread_of_grid();
    const Watch watch;
#pragma unroll 1
    for (Rounds round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
            words[(sector * 8 + i) & mask] = unsigned(round);
            sector += threads;
        }
    }
    watch.stop(spans, 0);
}

extern "C" __global__ void __launch_bounds__(1024) write_lines(Span* spans, unsigned char* data, Rounds rounds, Rounds choice) {
    const unsigned mask = unsigned(choice);
    unsigned* words = reinterpret_cast<unsigned*>(data);
    Wanderer wanderer;
    const Watch watch;
#pragma unroll 1
    for (Rounds round = 0; round < rounds; ++round) {
        // Two threads may come to one place: either word is as good.
#pragma unroll
        for (int i = 0; i < kWords; ++i) words[wanderer.next() & mask] = unsigned(round);
    }
    watch.stop(spans, 0);
}

// `choice`: how many words the lanes' places are apart; 0: all are the same.
extern "C" __global__ void __launch_bounds__(1024) atomics_words(Span* spans, unsigned char* data, Rounds rounds, Rounds choice) {
    unsigned* place = reinterpret_cast<unsigned*>(data) + size_t(thread_of_grid()) * unsigned(choice);
    const Watch watch;
#pragma unroll 1
    for (Rounds round = 0; round < rounds; ++round)
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(place)), "r"(threadIdx.x + unsigned(round))
                     : "memory");
    watch.stop(spans, 0);
}

extern "C" __global__ void __launch_bounds__(1024) atomics_floats(Span* spans, unsigned char* data, Rounds rounds, Rounds choice) {
    float* place = reinterpret_cast<float*>(data) + size_t(thread_of_grid()) * unsigned(choice);
    const Watch watch;
#pragma unroll 1
    for (Rounds round = 0; round < rounds; ++round)
        asm volatile("red.global.add.f32 [%0], %1;" ::"l"(__cvta_generic_to_global(place)), "f"(float(threadIdx.x)) : "memory");
    watch.stop(spans, 0);
}
