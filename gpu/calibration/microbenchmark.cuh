// What the microbenchmarks share: a warp's watch, and the arguments that all of them take.
//
// `spans` gets a span of each warp, or of the first one alone where the host's clock times the launch; `data` is the region that is
// read and written; the work grows by `rounds`, of which the host takes two numbers and looks at the difference, so that what
// comes before and behind the rounds does not count; `choice` is what a kernel says that it is.
#pragma once

struct Span {
    long long begin, end;                    // clocks of the multiprocessor
    unsigned long long begin_ns, end_ns;     // of the GPU's timer
};

using Rounds = unsigned long long;

static __device__ __forceinline__ long long clocks() {
    long long now;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
    return now;
}
static __device__ __forceinline__ unsigned long long nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}

// From where it is made, once all warps of the block are there, to stop().
class Watch {
  public:
    __device__ __forceinline__ Watch() {
        __syncthreads();
        begin_ns_ = nanoseconds();
        begin_ = clocks();
    }
    // `kept`: what was computed, so that no compiler leaves it out.
    __device__ __forceinline__ void stop(Span* spans, unsigned kept) const {
        const long long end = clocks();
        const unsigned long long end_ns = nanoseconds();
        if (blockIdx.x == 0 && threadIdx.x % 32 == 0) spans[threadIdx.x / 32] = {begin_, end, begin_ns_, end_ns};
        // Of the 33 spans that there is room for, nobody reads the last.
        if (kept == 0x12345678u) spans[32].begin = kept;
    }

  private:
    long long begin_;
    unsigned long long begin_ns_;
};
