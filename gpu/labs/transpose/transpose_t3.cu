// Transpose t3: naive, with strided writes.
//
// Grew from t1. The element at column x, row y goes to column y, row x: a warp reads a row and writes a column.
// Why it should win: it does not; it is the formula as it is written, to start from.
// Counter to watch: sectors per store request, 32 instead of 4; sector efficiency of stores 12.5 %.
// Stops winning: before 2.0 each of the 32 words is a transaction of its own at a place far from the last one.
// Later a second level of cache collects the eight words of a sector, if they come before it is evicted.

// knob: BLOCK_X = 32 in 1..1024  threads of a block along a row of the source
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column of the source
// knob: WORDS = 0 in 0..1  elements are 0: floats, 1: unsigned words
// pixels per block: BLOCK_X x BLOCK_Y

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#endif
#ifndef WORDS
#define WORDS 0
#endif

#if WORDS
using Element = unsigned;
#else
using Element = float;
#endif

// The source has height rows of width elements, the target width rows of height elements.
extern "C" __global__ void transpose(const Element* __restrict__ source, Element* __restrict__ target, int width,
                                     int height) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x;
    const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    target[size_t(x) * height + y] = source[size_t(y) * width + x];
}
