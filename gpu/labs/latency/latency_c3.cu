// Latency c3: chains enough to fill the registers.
//
// Grew from c2. A thread has CHAINS elements in registers; they, not shared memory, limit how many warps fit. MIN_BLOCKS
// asks the compiler for room for so many blocks on a multiprocessor.
// Why it should win: it shows that occupancy is a means. At a quarter of the warps the pipe is full all the same.
// Counter to watch: registers per thread, theoretical occupancy and its limiter, against time.
// Stops winning: a bound that is too tight has no room for the chains: they spill to local memory.

// knob: BLOCK_X = 128 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: MIN_BLOCKS = 0 in 0..32  blocks that must fit on a multiprocessor; 0 asks for none
// knob: UNROLL = 4 in 1..16  links of a chain in a round of the loop
// knob: CHAINS = 64 in 1..128  chains of a thread
// instruction-level parallelism: CHAINS
// elements per block: CHAINS * BLOCK_X x 1
// order of tiles: folded line

#include "latency.cuh"

#ifndef CHAINS
#define CHAINS 64
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 0
#endif

#if MIN_BLOCKS > 0
#define LAUNCH_BOUNDS __launch_bounds__(BLOCK_X, MIN_BLOCKS)
#else
#define LAUNCH_BOUNDS
#endif

extern "C" __global__ void LAUNCH_BOUNDS chain(const float* __restrict__ source, float* __restrict__ target, int width,
                                               int height) {
    const unsigned count = unsigned(width) * height;
    float value[CHAINS];
#pragma unroll
    for (int i = 0; i < CHAINS; ++i) value[i] = element_of<CHAINS>(i) < count ? source[element_of<CHAINS>(i)] : 0;
#pragma unroll UNROLL
    for (int round = 0; round < kRounds; ++round) {
#pragma unroll
        for (int i = 0; i < CHAINS; ++i) value[i] = next(value[i]);
    }
#pragma unroll
    for (int i = 0; i < CHAINS; ++i) {
        if (element_of<CHAINS>(i) < count) target[element_of<CHAINS>(i)] = value[i];
    }
}
