// Chases: how long a load takes, from each level of memory.
//
// Loads whose address is what the one before has read: a ring of nodes, in an order that no prefetcher knows, which one warp
// follows. How large the ring is decides which level answers: the host chooses it, and warms the caches up where it is to stay there.
// Why whole addresses: nothing is added to what is loaded, so that a link is a load and nothing else.
// Counter to watch: the hit rate of the level, 100 %.
// Where it stops winning: a ring that is larger than what the translation of addresses holds takes longer than its level; a
// quarter of the memory at random is what kernels do, too, that jump about.

#include "microbenchmark.cuh"

constexpr unsigned kNodeBytes = 128;
constexpr unsigned kSteps = 16;  // of a round

// Of kNodeBytes each; `choice` of them, a power of two. Node n leads to node (kFactor * n + 12345) % choice, which visits all of
// them before it comes back: the factor is one more than a multiple of 4, the summand odd.
constexpr unsigned kFactor = 1664525u;
extern "C" __global__ void lay_ring(Span*, unsigned char* data, Rounds, Rounds choice) {
    const unsigned nodes = unsigned(choice);
    const size_t base = __cvta_generic_to_global(data);
    const unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < nodes; i += stride) {
        const unsigned next = (kFactor * i + 12345u) & (nodes - 1);
        *reinterpret_cast<unsigned long long*>(data + size_t(i) * kNodeBytes) = base + size_t(next) * kNodeBytes;
    }
    // Where the next chase begins: beside the first node's link.
    if (blockIdx.x == 0 && threadIdx.x == 0) reinterpret_cast<unsigned long long*>(data)[1] = base;
}

static __device__ __forceinline__ unsigned long long follow(unsigned long long at, Rounds rounds) {
#pragma unroll 1
    for (Rounds round = 0; round < rounds; ++round) {
#pragma unroll
        for (unsigned step = 0; step < kSteps; ++step) asm volatile("ld.global.u64 %0, [%0];" : "+l"(at));
    }
    return at;
}

// `choice` rounds come first, which are not timed. Each launch goes on where the last one ended.
extern "C" __global__ void chase(Span* spans, unsigned char* data, Rounds rounds, Rounds choice) {
    unsigned long long* place = reinterpret_cast<unsigned long long*>(data) + 1;
    unsigned long long at = follow(*place, choice);
    const Watch watch;
    at = follow(at, rounds);
    watch.stop(spans, unsigned(at));
    if (threadIdx.x == 0) *place = at;
}

constexpr unsigned kRing = 1024;
static __device__ __forceinline__ unsigned next_of(unsigned i) {
    return (i * 33 + 7) % kRing;
}

extern "C" __global__ void chase_shared(Span* spans, unsigned char*, Rounds rounds, Rounds) {
    __shared__ unsigned ring[kRing];
    const unsigned base = unsigned(__cvta_generic_to_shared(ring));
    for (unsigned i = threadIdx.x; i < kRing; i += blockDim.x) ring[i] = base + 4 * next_of(i);
    __syncthreads();
    unsigned at = base;
    const Watch watch;
#pragma unroll 1
    for (Rounds round = 0; round < rounds; ++round) {
#pragma unroll
        for (unsigned step = 0; step < kSteps; ++step) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
    }
    watch.stop(spans, at);
}

// Of offsets: a load adds where the table lies by itself. A ring of all 16 words.
__constant__ unsigned offsets[16] = {28, 48, 4, 24, 44, 0, 20, 40, 60, 16, 36, 56, 12, 32, 52, 8};
extern "C" __global__ void chase_constant(Span* spans, unsigned char*, Rounds rounds, Rounds) {
    // All lanes begin at the first word, which the compiler does not know: it would load once for the warp.
    unsigned at = rounds == 0 ? threadIdx.x % 2 * 4 : 0;
    const Watch watch;
#pragma unroll 1
    for (Rounds round = 0; round < rounds; ++round) {
#pragma unroll
        for (unsigned step = 0; step < kSteps; ++step)
            at = *reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(offsets) + at);
    }
    watch.stop(spans, at);
}
