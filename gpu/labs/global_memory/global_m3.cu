// Global memory m3: the words of a half warp in another order.
//
// Grew from m1. A warp copies the same 32 words, but lane n takes word 11 n + 5, modulo 16, of those of its half warp.
// Why it should win: it does not, and from 1.2 on it loses nothing: a request is sorted by sectors, not by lanes.
// Counter to watch: sectors per request, 4. On 1.0 and 1.1, where the k-th lane has to take the k-th word, it is one
// transaction for every lane.
// Stops winning: from 2.0 on any order within a line is as good; 1.2 and 1.3 look at half warps.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: CACHED = 1 in 0..1  loads go 1: through L1, 0: past it (2.x moves sectors then instead of lines)
// elements per block: 4 * BLOCK_X x 1
// order of tiles: line

#include "global.cuh"

extern "C" __global__ void copy(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    const unsigned count = unsigned(width) * height;
    copy_words(source, target, count, [=](unsigned word) {
        const unsigned first = word & ~15u;
        // The last words stay where they are unless there are 16 of them.
        return first + 16 <= count ? first + (11 * word + 5) % 16 : word;
    });
}
