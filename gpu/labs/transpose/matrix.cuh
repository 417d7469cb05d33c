// What the transposes share and is not the lesson of any of them: the type of an element, what of the matrix a block's
// square covers, and the ways between the matrix and a tile in shared memory.
#pragma once

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#endif
#ifndef TILE
#define TILE 32
#endif
#ifndef WORDS
#define WORDS 0
#endif

#if WORDS
using Element = unsigned;
using Word = uint4;  // of four elements
#else
using Element = float;
using Word = float4;
#endif

// TILE x TILE elements of the source, and how many of its columns and rows lie within the matrix.
struct Square {
    int left, top;
    int columns, rows;
};

[[maybe_unused]] static __device__ Square square_at(int column, int row, int width, int height) {
    const int left = column * TILE;
    const int top = row * TILE;
    return {left, top, min(TILE, width - left), min(TILE, height - top)};
}

// Offsets are size_t: a matrix of 46341 x 46341 has more elements than an int counts.

// Reads the square's rows into the rows of a tile.
template <int kAcross>
static __device__ void read_rows(Element (&tile)[TILE][kAcross], const Element* __restrict__ source, Square square,
                                 int width) {
#pragma unroll
    for (int j = 0; j < TILE; j += BLOCK_X) {
        const int column = threadIdx.x + j;
        const Element* from = source + size_t(square.top + threadIdx.y) * width + square.left + column;
#pragma unroll
        for (int i = 0; i < TILE; i += BLOCK_Y) {
            if (column < square.columns && threadIdx.y + i < square.rows) tile[threadIdx.y + i][column] = *from;
            from += size_t(BLOCK_Y) * width;
        }
    }
}

// Writes the tile's columns as rows of the target.
template <int kAcross>
static __device__ void write_columns(const Element (&tile)[TILE][kAcross], Element* __restrict__ target, Square square,
                                     int height) {
#pragma unroll
    for (int j = 0; j < TILE; j += BLOCK_X) {
        const int row = threadIdx.x + j;
        Element* to = target + size_t(square.left + threadIdx.y) * height + square.top + row;
#pragma unroll
        for (int i = 0; i < TILE; i += BLOCK_Y) {
            if (row < square.rows && threadIdx.y + i < square.columns) *to = tile[row][threadIdx.y + i];
            to += size_t(BLOCK_Y) * height;
        }
    }
}
