// Requests: what the load/store unit of a multiprocessor, its barriers and its branches take.
//
// 32 warps of one block ask for words that their multiprocessor has itself. A request whose lanes touch 32 lines, 32 wavefronts or
// one word keeps the unit busy for as long as it takes for each of them.
// Why 32 of everything: what a request costs by itself hides behind its parts.
// Counter to watch: L1 wavefronts, shared wavefronts; both at their peak.
// Where it stops winning: with one line a request the unit waits for its scheduler, not for itself.

#include "microbenchmark.cuh"

constexpr int kLoads = 4;      // of a round
constexpr int kBarriers = 64;  // of a round
// The host's `choice` is 0, so that every round reads the same words; the assembler does not know, and reads them every time.

// Each lane reads a line of its own.
extern "C" __global__ void __launch_bounds__(1024) l1_lines(Span* spans, unsigned char* data, Rounds rounds, Rounds choice) {
    const unsigned char* place = data + threadIdx.x % 32 * 128;
    unsigned sum = 0;
    const Watch watch;
#pragma unroll 1
    for (Rounds round = 0; round < rounds; ++round) {
        const unsigned char* now = place + (round & choice);
        unsigned word[kLoads];
#pragma unroll
        for (int i = 0; i < kLoads; ++i)
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(word[i]) : "l"(__cvta_generic_to_global(now + i * 4096)));
#pragma unroll
        for (int i = 0; i < kLoads; ++i) sum += word[i];
    }
    watch.stop(spans, sum);
}

// Every lane's word is in the same bank: 32 wavefronts.
extern "C" __global__ void __launch_bounds__(1024) shared_wavefronts(Span* spans, unsigned char*, Rounds rounds, Rounds choice) {
    __shared__ unsigned words[(32 + kLoads) * 32];
    for (unsigned i = threadIdx.x; i < (32 + kLoads) * 32; i += blockDim.x) words[i] = i;
    const unsigned place = unsigned(__cvta_generic_to_shared(words + threadIdx.x % 32 * 32));
    unsigned sum = 0;
    const Watch watch;
#pragma unroll 1
    for (Rounds round = 0; round < rounds; ++round) {
        const unsigned now = place + unsigned(round & choice);
        unsigned word[kLoads];
#pragma unroll
        for (int i = 0; i < kLoads; ++i) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word[i]) : "r"(now + 128 * i));
#pragma unroll
        for (int i = 0; i < kLoads; ++i) sum += word[i];
    }
    watch.stop(spans, sum);
}

// All lanes of a warp add to one word, each warp to its own.
extern "C" __global__ void __launch_bounds__(1024) shared_atomics(Span* spans, unsigned char*, Rounds rounds, Rounds) {
    __shared__ unsigned words[32];
    if (threadIdx.x < 32) words[threadIdx.x] = 0;
    const unsigned place = unsigned(__cvta_generic_to_shared(words + threadIdx.x / 32));
    const Watch watch;
#pragma unroll 1
    for (Rounds round = 0; round < rounds; ++round)
        // Each lane another number, so that no compiler adds them up for the warp.
        asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(place), "r"(threadIdx.x + unsigned(round)) : "memory");
    watch.stop(spans, 0);
    __syncthreads();
    if (words[threadIdx.x / 32] == 0x12345678u) spans[32].begin = 1;
}

extern "C" __global__ void __launch_bounds__(1024) barriers(Span* spans, unsigned char*, Rounds rounds, Rounds) {
    const Watch watch;
#pragma unroll 1
    for (Rounds round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < kBarriers; ++i) __syncthreads();
    }
    watch.stop(spans, 0);
}

// A round is one multiply-add and the loop's own instructions, whose stall counts the machine code has: what it takes beyond
// them is the branch.
extern "C" __global__ void loop(Span* spans, unsigned char*, Rounds rounds, Rounds) {
    const unsigned count = unsigned(rounds);
    float value = 1.0f, factor = 0.5f;
    asm volatile("" : "+f"(value), "+f"(factor));
    const Watch watch;
#pragma unroll 1
    for (unsigned round = 0; round < count; ++round) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(value) : "f"(factor));
    watch.stop(spans, __float_as_uint(value));
}
