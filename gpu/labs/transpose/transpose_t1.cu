// Transpose t1: no transpose, a plain copy.
//
// One thread an element; a warp reads 32 neighbours of a row and writes 32 neighbours of a row.
// Why it comes first: a transpose moves the same bytes, so this is the line that the others are held against.
// Counter to watch: sectors per request, 4 for loads and stores; effective bandwidth (8 bytes an element).
// Stops winning: one load in flight a thread does not fill the memory of a large GPU. See t10.

// knob: BLOCK_X = 32 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column
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

// The target has the shape of the source: height rows of width elements.
extern "C" __global__ void transpose(const Element* __restrict__ source, Element* __restrict__ target, int width,
                                     int height) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x;
    const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;

    // A matrix of 46341 x 46341 has more elements than an int counts.
    const size_t at = size_t(y) * width + x;
    target[at] = source[at];
}
