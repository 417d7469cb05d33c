// Transpose t2: no transpose, a copy down the columns.
//
// Grew from t1. Lanes lie below each other: a warp reads 32 elements of a column and writes 32 of a column.
// Why it is here: it does both wrongs at once; t3 and t4 do one each. What it costs more than t3 and t4 is
// the other one.
// Counter to watch: sectors per request, 32 instead of 4; sector efficiency 12.5 %.
// Stops winning: never wins. Caches serve the seven other elements of a sector from 2.0 on, if they still hold
// it when the neighbouring warp comes.

// knob: BLOCK_X = 32 in 1..1024  threads of a block along a column
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a row
// knob: WORDS = 0 in 0..1  elements are 0: floats, 1: unsigned words
// pixels per block: BLOCK_Y x BLOCK_X

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

// The target has the shape of the source: height rows of width elements.
extern "C" __global__ void transpose(const Element* __restrict__ source, Element* __restrict__ target, int width,
                                     int height) {
    const int x = blockIdx.x * BLOCK_Y + threadIdx.y;
    const int y = blockIdx.y * BLOCK_X + threadIdx.x;
    if (x >= width || y >= height) return;

    const size_t at = size_t(y) * width + x;
    target[at] = source[at];
}
