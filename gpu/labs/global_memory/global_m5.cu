// Global memory m5: words of 1 to 16 bytes.
//
// Grew from m1. A thread still copies 16 bytes, but in words of 1, 2, 4, 8 or 16 bytes.
// Why it should win: a request of a warp is 32 to 512 bytes: with wide words fewer requests move the same bytes, and each
// has more of them under way.
// Counter to watch: load requests, a quarter with 16 bytes; sectors per request, 1 to 16; sector efficiency stays 100 %.
// Before 2.0 words of 1 and 2 bytes are transactions of 32 bytes, 8 bytes are one of 128 for a half warp, 16 are two.
// Stops winning: where the memory is busy anyway; but narrow words fill the pipe that issues requests.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: WORD_LOG2 = 4 in 0..4  words have 2 to the power of this many bytes
// knob: CACHED = 1 in 0..1  loads go 1: through L1, 0: past it (2.x moves sectors then instead of lines)
// elements per block: 4 * BLOCK_X x 1
// order of tiles: line

#include "global.cuh"

#ifndef WORD_LOG2
#define WORD_LOG2 4
#endif

#if WORD_LOG2 == 0
using Word = unsigned char;
#elif WORD_LOG2 == 1
using Word = unsigned short;
#elif WORD_LOG2 == 2
using Word = unsigned;
#elif WORD_LOG2 == 3
using Word = uint2;
#else
using Word = uint4;
#endif

// 16 bytes, as a block of words of 4 bytes each has them.
constexpr int kWords = 16 / sizeof(Word);

extern "C" __global__ void copy(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    const unsigned count = unsigned(width) * height;
    const size_t words = size_t(count) * 4 / sizeof(Word);
    const size_t first = size_t(blockIdx.x) * (kWords * BLOCK_X) + threadIdx.x;
    const Word* from = reinterpret_cast<const Word*>(source);
    Word* to = reinterpret_cast<Word*>(target);
    Word word[kWords];
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
        if (first + i * BLOCK_X < words) word[i] = load(from + first + i * BLOCK_X);
    }
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
        if (first + i * BLOCK_X < words) to[first + i * BLOCK_X] = word[i];
    }
    // Up to three elements that fill no word of 16 bytes.
    const unsigned element = unsigned(words * sizeof(Word) / 4) + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && element < count) target[element] = source[element];
}
