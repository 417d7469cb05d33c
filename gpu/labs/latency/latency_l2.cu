// Latency l2: several words a thread, one after the other.
//
// Grew from l1. A thread copies ILP words in a loop: each is stored before the next one is loaded.
// Why it should win: it does not. Fewer threads do more work each, but a thread has one word under way as before.
// Counter to watch: loads in flight in the machine code (warpscope sass): one.
// Stops winning: see l3, which differs in nothing but the order.

// knob: BLOCK_X = 32 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: SHARED_KIB = 48 in 0..48  KiB of shared memory that a block takes, so that fewer blocks fit
// knob: ILP = 4 in 1..8  words of a thread, one after the other
// instruction-level parallelism: ILP
// elements per block: ILP * BLOCK_X x 1
// order of tiles: folded line

#include "latency.cuh"

extern "C" __global__ void copy(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    take_shared(width);
    const unsigned count = unsigned(width) * height;
#pragma unroll 1
    for (int i = 0; i < ILP; ++i) {
        const unsigned word = element_of<ILP>(i);
        if (word < count) target[word] = source[word];
    }
}
