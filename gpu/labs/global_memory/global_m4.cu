// Global memory m4: words a stride apart.
//
// Grew from m1. The launch goes over the array STRIDE times: first it copies every STRIDE-th word from word 0 on, then from
// word 1 on, and so forth. Lanes are STRIDE words apart; when the other words of a sector are needed, the array has been
// gone through once in between.
// Why it should win: it does not. Of every sector of 32 bytes one word is used, of 8 that could be.
// Counter to watch: sectors per request, 4 * STRIDE up to 32; sector efficiency 1 / STRIDE, at least 12.5 %.
// Stops winning: caches help only if they hold the array until the next round: try a size below that of L2.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: STRIDE = 2 in 1..64  words from lane to lane
// knob: CACHED = 1 in 0..1  loads go 1: through L1, 0: past it (2.x moves sectors then instead of lines)
// elements per block: 4 * BLOCK_X x 1
// order of tiles: line

#include "global.cuh"

#ifndef STRIDE
#define STRIDE 2
#endif

extern "C" __global__ void copy(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    const unsigned count = unsigned(width) * height;
    // Whole warps go round together; what is left over is copied as it lies.
    const unsigned of_round = count / STRIDE & ~31u;
    const unsigned all = of_round * STRIDE;
    copy_words(source, target, count, [=](unsigned word) {
        if (word >= all) return word;
        const unsigned round = word / of_round;
        return (word - round * of_round) * STRIDE + round;
    });
}
