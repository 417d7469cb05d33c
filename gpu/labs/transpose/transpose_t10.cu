// Transpose t10: words of 16 bytes on all four ways, 16 elements a thread.
//
// Grew from t8. A thread takes squares of 4 x 4 elements: it reads four words of 16 bytes below each other, turns the
// square in registers and stores four words of 16 bytes into the tile, whose rows are those of the target already; from
// there words of 16 bytes go to the target. The tile is swizzled by words. Where the width is no multiple of 4, rows of
// the source do not begin at multiples of 16 bytes and are read by elements; where the height is none, the target is
// written by elements; the tile's words are stored in one piece in any case. Blocks go down the columns of tiles.
// Why it should win: a quarter of the requests, 64 bytes in flight for each thread instead of 16, and what is written at
// the same time lies together: memory is kinder to scattered reads than to scattered writes.
// Counter to watch: requests and instructions per element; sectors per request, 16; effective bandwidth.
// Stops winning: at sizes that do not fill the GPU with blocks of 64 x 64 elements.

// knob: BLOCK_X = 32 in 32..1024  threads of a block; it counts them through, whatever the rows
// knob: BLOCK_Y = 8 in 1..1024  threads of a block are BLOCK_X x BLOCK_Y
// knob: ACROSS = 2 in 1..3  columns of the tile, in 32
// knob: DOWN = 2 in 1..3  rows of the tile, in 32
// knob: WORDS = 0 in 0..1  elements are 0: floats, 1: unsigned words
// elements per block: 32 * ACROSS x 32 * DOWN
// order of tiles: columns

#include "matrix.cuh"

#ifndef ACROSS
#define ACROSS 2
#endif
#ifndef DOWN
#define DOWN 2
#endif

constexpr int kThreads = BLOCK_X * BLOCK_Y;
constexpr int kColumns = 32 * ACROSS;  // of the source's tile
constexpr int kRows = 32 * DOWN;
constexpr int kSquares = kColumns * kRows / 16;
constexpr int kSquaresOfThread = (kSquares + kThreads - 1) / kThreads;

// The tile as the target has it: a row for each column of the source, in words of four elements. The XOR puts words
// that lie below each other into different banks, for lanes on neighbouring columns as for lanes four columns apart.
struct Tile {
    Word words[kColumns][kRows / 4];

    static __device__ int place(int column, int word) { return word ^ (column / 4 % 8) ^ (column % 4 * 2); }
    __device__ Word& at(int column, int word) { return words[column][place(column, word)]; }
    __device__ Element element(int column, int row) const {
        return reinterpret_cast<const Element*>(&words[column][place(column, row / 4)])[row % 4];
    }
};

static __device__ Element element_of(Word word, int i) {
    return i == 0 ? word.x : i == 1 ? word.y : i == 2 ? word.z : word.w;
}

// Reads squares as four words below each other and stores them turned.
static __device__ void read_words(Tile& tile, const Element* __restrict__ source, int left, int top, int width,
                                  int height) {
    Word rows[kSquaresOfThread][4];
#pragma unroll
    for (int i = 0; i < kSquaresOfThread; ++i) {
        const int square = threadIdx.y * BLOCK_X + threadIdx.x + i * kThreads;
        const int x = left + square % (kColumns / 4) * 4;
        const int y = top + square / (kColumns / 4) * 4;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            rows[i][k] = {};
            if (square < kSquares && x < width && y + k < height)
                rows[i][k] = *reinterpret_cast<const Word*>(source + size_t(y + k) * width + x);
        }
    }
#pragma unroll
    for (int i = 0; i < kSquaresOfThread; ++i) {
        const int square = threadIdx.y * BLOCK_X + threadIdx.x + i * kThreads;
        if (square >= kSquares) break;
        const int column = square % (kColumns / 4) * 4;
        const int word = square / (kColumns / 4);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            tile.at(column + k, word) = {element_of(rows[i][0], k), element_of(rows[i][1], k),
                                         element_of(rows[i][2], k), element_of(rows[i][3], k)};
        }
    }
}

// The same where rows do not begin at multiples of 16 bytes: lanes take neighbouring columns, four elements below
// each other at a time.
static __device__ void read_elements(Tile& tile, const Element* __restrict__ source, int left, int top, int width,
                                     int height) {
    constexpr int kGroups = (kColumns * kRows / 4 + kThreads - 1) / kThreads;
    Element elements[kGroups][4];
#pragma unroll
    for (int i = 0; i < kGroups; ++i) {
        const int group = threadIdx.y * BLOCK_X + threadIdx.x + i * kThreads;
        const int x = left + group % kColumns;
        const int y = top + group / kColumns * 4;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            elements[i][k] = 0;
            if (group < kColumns * kRows / 4 && x < width && y + k < height)
                elements[i][k] = source[size_t(y + k) * width + x];
        }
    }
#pragma unroll
    for (int i = 0; i < kGroups; ++i) {
        const int group = threadIdx.y * BLOCK_X + threadIdx.x + i * kThreads;
        if (group >= kColumns * kRows / 4) break;
        tile.at(group % kColumns, group / kColumns) = {elements[i][0], elements[i][1], elements[i][2],
                                                       elements[i][3]};
    }
}

static __device__ void write_words(Tile& tile, Element* __restrict__ target, int left, int top, int width,
                                   int height) {
#pragma unroll
    for (int first = 0; first < kColumns * kRows / 4; first += kThreads) {
        const int number = first + threadIdx.y * BLOCK_X + threadIdx.x;
        if (number >= kColumns * kRows / 4) break;
        const int word = number % (kRows / 4);
        const int column = number / (kRows / 4);
        const int x = left + column;
        const int y = top + 4 * word;
        if (x < width && y < height)
            *reinterpret_cast<Word*>(target + size_t(x) * height + y) = tile.at(column, word);
    }
}

static __device__ void write_elements(const Tile& tile, Element* __restrict__ target, int left, int top, int width,
                                      int height) {
#pragma unroll
    for (int first = 0; first < kColumns * kRows; first += kThreads) {
        const int number = first + threadIdx.y * BLOCK_X + threadIdx.x;
        if (number >= kColumns * kRows) break;
        const int row = number % kRows;
        const int column = number / kRows;
        const int x = left + column;
        const int y = top + row;
        if (x < width && y < height) target[size_t(x) * height + y] = tile.element(column, row);
    }
}

// The source has height rows of width elements, the target width rows of height elements. Both begin at multiples of
// 16 bytes, as memory from cudaMalloc does.
extern "C" __global__ void transpose(const Element* __restrict__ source, Element* __restrict__ target, int width,
                                     int height) {
    __shared__ Tile tile;
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);

    // Blocks start in the order of their numbers: those that start together take tiles below each other and write
    // next to each other.
    const unsigned number = blockIdx.y * gridDim.x + blockIdx.x;
    const int left = number / gridDim.y * kColumns;
    const int top = number % gridDim.y * kRows;

    // Read the tile's rows; turn them on their way into the tile.
    if (width % 4 == 0)
        read_words(tile, source, left, top, width, height);
    else
        read_elements(tile, source, left, top, width, height);
    __syncthreads();

    // Write its rows as rows of the target.
    if (height % 4 == 0)
        write_words(tile, target, left, top, width, height);
    else
        write_elements(tile, target, left, top, width, height);
}
