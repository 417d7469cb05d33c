// Transpose t10: words of 16 bytes on all four ways, 16 elements a thread; whole sectors at any size.
//
// Grew from t8. A thread takes squares of 4 x 4 elements: it reads four words of 16 bytes below each other, turns the
// square in registers and stores four words of 16 bytes into the tile, whose rows are those of the target already; from
// there words of 16 bytes go to the target. The tile is swizzled by words. Blocks go down the columns of tiles.
// Where width or height is no multiple of 4, rows begin anywhere. There the tile's columns begin and end some elements
// further up, each where a sector of the target does, so that no sector is written by two blocks; elements go into the
// tile one by one and leave it as words.
// Why it should win: a quarter of the requests, 64 bytes in flight for each thread instead of 16, and what is written at
// the same time lies together: memory is kinder to scattered reads than to scattered writes.
// Counter to watch: requests and instructions per element; sectors per request, 16; effective bandwidth.
// Stops winning: at sizes that do not fill the GPU with blocks of 64 x 64 elements.

// knob: BLOCK_X = 32 in 32..1024  threads of a block; it counts them through, whatever the rows
// knob: BLOCK_Y = 8 in 1..1024  threads of a block are BLOCK_X x BLOCK_Y
// knob: ACROSS = 2 in 1..3  columns of the tile, in 32
// knob: DOWN = 2 in 1..4  rows of the tile, in 32
// knob: RUN_LOG2 = 3 in 2..5  what is written of a row begins at multiples of 2 to the power of this, in elements
// knob: MIN_BLOCKS = 5 in 1..8  blocks of 256 threads that must fit on a multiprocessor
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
#ifndef RUN_LOG2
#define RUN_LOG2 3
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 5
#endif

constexpr int kThreads = BLOCK_X * BLOCK_Y;
constexpr int kColumns = 32 * ACROSS;  // of the source's tile
constexpr int kRows = 32 * DOWN;
constexpr int kWords = kRows / 4;  // of a row of the tile
constexpr int kSquares = kColumns * kRows / 16;
constexpr int kSquaresOfThread = (kSquares + kThreads - 1) / kThreads;
constexpr int kRun = 1 << RUN_LOG2;  // elements that are written together: a sector has 8, a line 32

// The tile as the target has it: a row for each column of the source. The XOR puts words of four elements that lie below
// each other into different banks, for lanes on neighbouring columns as for lanes four columns apart.
struct Tile {
    alignas(16) Element elements[kColumns][kRows];

    __device__ Element& element(unsigned column, unsigned i) {
        return elements[column][i ^ (column / 4 % 8 * 4) ^ (column % 4 * 8)];
    }
    __device__ Word& word(unsigned column, unsigned i) { return reinterpret_cast<Word&>(element(column, i)); }
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
            tile.word(column + k, 4 * word) = {element_of(rows[i][0], k), element_of(rows[i][1], k),
                                         element_of(rows[i][2], k), element_of(rows[i][3], k)};
        }
    }
}

static __device__ void write_words(Tile& tile, Element* __restrict__ target, int left, int top, int width,
                                   int height) {
#pragma unroll
    for (int first = 0; first < kColumns * kWords; first += kThreads) {
        const int number = first + threadIdx.y * BLOCK_X + threadIdx.x;
        if (number >= kColumns * kWords) break;
        const int word = number % kWords;
        const int column = number / kWords;
        const int x = left + column;
        const int y = top + 4 * word;
        if (x < width && y < height)
            *reinterpret_cast<Word*>(target + size_t(x) * height + y) = tile.word(column, 4 * word);
    }
}

// What of a column a skewed tile holds: the elements that a run of the target begins with until one ends. In the tile
// they stand in the same order, the first behind the others that its word has in the target, the end around the corner.
// Rows count from the tile's top; those above it are below 0.
struct Piece {
    int above;       // so many rows above the top the first run begins
    int begin, end;  // rows within the matrix

    __device__ Piece(int x, int top, int width, int height) : above(unsigned(x) * height % kRun) {
        begin = max(-above, -top);
        end = x < width ? min(kRows - above, height - top) : -kRun;
    }
    __device__ bool has(int row) const { return (row >= 0 || row >= begin) && row < end; }
    __device__ unsigned place(int row) const { return unsigned(row + kRows + above % 4) % kRows; }
};

// A thread stays on its column, so that all but the row is calculated once. Threads beyond whole rows rest.
constexpr int kLanes = kThreads < kColumns ? kThreads : kColumns;
constexpr int kStep = kThreads / kLanes;  // rows that are read at a time

static __device__ void read_skewed(Tile& tile, const Element* __restrict__ source, int left, int top, int width,
                                   int height) {
    constexpr int kOfThread = (kRows + kRun - 1 + kStep - 1) / kStep;
    const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
    const int first = thread / kLanes - (kRun - 1);
    if (thread >= kLanes * kStep) return;
    for (int column = thread % kLanes; column < kColumns; column += kLanes) {
        const Piece piece(left + column, top, width, height);
        const Element* from = source + (ptrdiff_t(top + first) * width + left + column);
        Element elements[kOfThread];
#pragma unroll
        for (int i = 0; i < kOfThread; ++i) {
            if (piece.has(first + i * kStep)) elements[i] = *from;
            from += size_t(kStep) * width;
        }
#pragma unroll
        for (int i = 0; i < kOfThread; ++i) {
            const int row = first + i * kStep;
            if (piece.has(row)) tile.element(column, piece.place(row)) = elements[i];
        }
    }
}

static __device__ void write_skewed(Tile& tile, Element* __restrict__ target, int left, int top, int width,
                                    int height) {
#pragma unroll
    for (int first = 0; first < kColumns * kWords; first += kThreads) {
        const int number = first + threadIdx.y * BLOCK_X + threadIdx.x;
        if (number >= kColumns * kWords) break;
        const int column = number / kWords;
        const int x = left + column;
        const Piece piece(x, top, width, height);
        const int row = number % kWords * 4 - piece.above;
        Element* to = target + (size_t(x) * height + top + row);
        if (row >= piece.begin && row + 4 <= piece.end) {
            *reinterpret_cast<Word*>(to) = tile.word(column, piece.place(row));
        } else {  // begin and end of a row of the target
            for (int k = 0; k < 4; ++k) {
                if (row + k >= piece.begin && row + k < piece.end)
                    to[k] = tile.element(column, piece.place(row + k));
            }
        }
    }
}

// What the last tile of a column leaves over: fewer elements than a run.
static __device__ void move_rest(const Element* __restrict__ source, Element* __restrict__ target, int left, int top,
                                 int width, int height) {
    for (int number = threadIdx.y * BLOCK_X + threadIdx.x; number < kColumns * kRun; number += kThreads) {
        const int x = left + number % kColumns;
        const int y = top + Piece(x, top, width, height).end + number / kColumns;
        if (x < width && y < height) target[size_t(x) * height + y] = source[size_t(y) * width + x];
    }
}

// The source has height rows of width elements, the target width rows of height elements. Both begin at multiples of
// 16 bytes, as memory from cudaMalloc does.
extern "C" __global__ void __launch_bounds__(kThreads, kThreads < 128 ? 1 : MIN_BLOCKS * 256 / kThreads)
    transpose(const Element* __restrict__ source, Element* __restrict__ target, int width, int height) {
    __shared__ Tile tile;
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);

    // Blocks start in the order of their numbers: those that start together take tiles below each other and write
    // next to each other.
    const unsigned number = blockIdx.y * gridDim.x + blockIdx.x;
    const int left = number / gridDim.y * kColumns;
    const int top = number % gridDim.y * kRows;

    // Where rows begin at words of 16 bytes: read the tile's rows, turn them on their way, write rows of the target.
    if (width % 4 == 0 && height % 4 == 0) {
        read_words(tile, source, left, top, width, height);
        __syncthreads();
        write_words(tile, target, left, top, width, height);
        return;
    }

    // Elsewhere the same with whole runs of the target.
    read_skewed(tile, source, left, top, width, height);
    __syncthreads();
    write_skewed(tile, target, left, top, width, height);
    if (top + kRows >= height) move_rest(source, target, left, top, width, height);
}
