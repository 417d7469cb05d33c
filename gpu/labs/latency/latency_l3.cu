// Latency l3: several words under way.
//
// Grew from l2. The thread loads all ILP words before it stores the first one: no load depends on another, so all of them
// are under way at once.
// Why it should win: bytes under way are warps x words in flight. Four words a thread do with a quarter of the warps.
// Counter to watch: loads in flight in the machine code: ILP; bandwidth against ILP at few warps.
// Stops winning: once latency x bandwidth is under way the memory is busy, and more of either gains nothing.

// knob: BLOCK_X = 32 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: SHARED_KIB = 48 in 0..48  KiB of shared memory that a block takes, so that fewer blocks fit
// knob: ILP = 4 in 1..8  words of a thread, loaded before the first is stored
// instruction-level parallelism: ILP
// elements per block: ILP * BLOCK_X x 1
// order of tiles: folded line

#include "latency.cuh"

extern "C" __global__ void copy(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    take_shared(width);
    const unsigned count = unsigned(width) * height;
    float word[ILP];
#pragma unroll
    for (int i = 0; i < ILP; ++i) {
        if (element_of<ILP>(i) < count) word[i] = source[element_of<ILP>(i)];
    }
#pragma unroll
    for (int i = 0; i < ILP; ++i) {
        if (element_of<ILP>(i) < count) target[element_of<ILP>(i)] = word[i];
    }
}
