// Latency l1: one word a thread.
//
// Every thread loads one word, waits for it, and stores it. SHARED_KIB takes shared memory from the multiprocessor, and
// with it blocks: occupancy is what the slider says, the work stays the same.
// Why it should win: with all warps resident the words of 64 of them are under way at once.
// Counter to watch: theoretical occupancy and its limiter, against the bandwidth reached.
// Stops winning: with few warps. Little's law: bytes under way = latency x bandwidth; less under way is less bandwidth.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: SHARED_KIB = 0 in 0..48  KiB of shared memory that a block takes, so that fewer blocks fit
// elements per block: BLOCK_X x 1
// order of tiles: folded line

#include "latency.cuh"

extern "C" __global__ void copy(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    take_shared(width);
    const unsigned word = element_of<1>(0);
    if (word < unsigned(width) * height) target[word] = source[word];
}
