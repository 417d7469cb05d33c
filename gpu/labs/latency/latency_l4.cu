// Latency l4: several wide words under way.
//
// Grew from l3. Words have 16 bytes: a thread has 16 * ILP bytes under way.
// Why it should win: four times the bytes for each load that waits, so that few warps are enough.
// Counter to watch: bytes in flight; registers per thread, four for each word.
// Stops winning: registers. Words under way need room to arrive in, and registers limit occupancy, too.

// knob: BLOCK_X = 32 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: SHARED_KIB = 48 in 0..48  KiB of shared memory that a block takes, so that fewer blocks fit
// knob: ILP = 4 in 1..8  words of 16 bytes of a thread, loaded before the first is stored
// instruction-level parallelism: ILP
// elements per block: 4 * ILP * BLOCK_X x 1
// order of tiles: folded line

#include "latency.cuh"

extern "C" __global__ void copy(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    take_shared(width);
    const unsigned count = unsigned(width) * height;
    const unsigned words = count / 4;
    const float4* from = reinterpret_cast<const float4*>(source);
    float4* to = reinterpret_cast<float4*>(target);
    float4 word[ILP];
#pragma unroll
    for (int i = 0; i < ILP; ++i) {
        if (element_of<ILP>(i) < words) word[i] = from[element_of<ILP>(i)];
    }
#pragma unroll
    for (int i = 0; i < ILP; ++i) {
        if (element_of<ILP>(i) < words) to[element_of<ILP>(i)] = word[i];
    }
    // Up to three elements that fill no word of 16 bytes.
    const unsigned element = 4 * words + threadIdx.x;
    if (block_of_line() == gridDim.x * gridDim.y - 1 && element < count) target[element] = source[element];
}
