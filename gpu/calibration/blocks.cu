// Blocks: what it takes to begin one, and a launch.
//
// Nothing is computed: blocks of empty kernels follow each other as fast as the GPU gives them out, and launches as fast as it
// takes them from a queue that is full. `busy` keeps it from them meanwhile, and brings the clock up to where it is under load.
// Why no more: whatever a block does hides what comes before.
// Counter to watch: blocks launched.
// Where it stops winning: with large blocks registers and shared memory are given out, too.

#include "microbenchmark.cuh"

extern "C" __global__ void nothing(Span*, unsigned char*, Rounds, Rounds) {}

// 128 multiply-adds of each warp a round, one after the other.
extern "C" __global__ void busy(Span* spans, unsigned char*, Rounds rounds, Rounds) {
    float value = 1.0f, factor = 0.5f;
    asm volatile("" : "+f"(value), "+f"(factor));
    const Watch watch;
#pragma unroll 1
    for (Rounds round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 128; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(value) : "f"(factor));
    }
    watch.stop(spans, __float_as_uint(value));
}
