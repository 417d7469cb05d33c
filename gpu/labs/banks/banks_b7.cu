// Banks b7: words of 1 to 16 bytes.
//
// Grew from b4. Lanes read their rows in words of 1, 2, 4, 8 or 16 bytes; rows are PAD words of 4 bytes longer.
// Why it should win: 16 bytes a lane are a quarter of the load instructions. A request of 512 bytes takes 4 wavefronts at
// best, so the banks have as much to do as before.
// Counter to watch: wavefronts per request against 1 (up to 4 bytes), 2 (8 bytes), 4 (16 bytes): with PAD = 4 rows are
// aligned to 16 bytes and eight lanes that are served together meet no bank twice.
// Stops winning: with PAD = 0, and where the padding does not fit the word: 4 words are good for words of 16 bytes, 1 word
// for 4. Words of 1 and 2 bytes need four and two requests for what one could bring.

// knob: BLOCK_X = 64 in 32..1024  threads of a block, whole warps of them work
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: WORD_LOG2 = 4 in 0..4  words have 2 to the power of this many bytes
// knob: PAD = 4 in 0..8  words added to each row of the tile, rounded up to whole wide words
// elements per block: 32 * BLOCK_X x 1
// order of tiles: line

#include "banks.cuh"

#ifndef WORD_LOG2
#define WORD_LOG2 4
#endif
#ifndef PAD
#define PAD 4
#endif

#if WORD_LOG2 == 0
using Word = unsigned char;
#elif WORD_LOG2 == 1
using Word = unsigned short;
#elif WORD_LOG2 == 2
using Word = unsigned;
#elif WORD_LOG2 == 3
using Word = unsigned long long;
#else
using Word = uint4;
#endif

// A row is whole words, of 4 bytes at least.
constexpr int kWide = sizeof(Word) < 4 ? 1 : sizeof(Word) / 4;
constexpr int kRow = kGroup + (PAD + kWide - 1) / kWide * kWide;
constexpr int kWarps = warps_with(4 * kGroup * kRow);

// The sum of the elements that begin at `at`, in words of this size.
static __device__ unsigned sum_at(const volatile unsigned* at) {
    const volatile Word* words = reinterpret_cast<const volatile Word*>(at);
#if WORD_LOG2 == 0
    return words[0] | words[1] << 8 | words[2] << 16 | unsigned(words[3]) << 24;
#elif WORD_LOG2 == 1
    return words[0] | unsigned(words[1]) << 16;
#elif WORD_LOG2 == 2
    return words[0];
#elif WORD_LOG2 == 3
    const Word word = words[0];
    return unsigned(word) + unsigned(word >> 32);
#else
    const uint4 word = *const_cast<const uint4*>(words);
    return word.x + word.y + word.z + word.w;
#endif
}

extern "C" __global__ void sum(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                               int height) {
    const size_t count = size_t(width) * height;
    const int warp = threadIdx.x / 32;
    __shared__ __align__(16) unsigned tile[kWarps][kGroup * kRow];
    volatile unsigned* words = tile[warp % kWarps];
    sum_tiles<kWarps>(
        source, target, count, words, [](int row, int column) { return row * kRow + column; },
        [=](int row) {
            unsigned sum = 0;
#pragma unroll
            for (int column = 0; column < kGroup; column += kWide) sum += sum_at(words + row * kRow + column);
            return sum;
        });
}
