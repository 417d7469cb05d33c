// Transpose t4: naive, with strided reads.
//
// Grew from t3. Lanes lie below each other in the source: a warp reads a column and writes a row.
// Why it should win: from 2.0 on a first level of cache may keep the lines of 32 rows until the block's next
// warps take their other words; nothing keeps a store.
// Counter to watch: sectors per load request, 32 instead of 4; hits in L1.
// Stops winning: where the blocks of a multiprocessor touch more lines than L1 holds; before 2.0 nothing is kept.

// knob: BLOCK_X = 32 in 1..1024  threads of a block along a column of the source
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a row of the source
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

// The source has height rows of width elements, the target width rows of height elements.
extern "C" __global__ void transpose(const Element* __restrict__ source, Element* __restrict__ target, int width,
                                     int height) {
    const int x = blockIdx.x * BLOCK_Y + threadIdx.y;
    const int y = blockIdx.y * BLOCK_X + threadIdx.x;
    if (x >= width || y >= height) return;
    target[size_t(x) * height + y] = source[size_t(y) * width + x];
}
