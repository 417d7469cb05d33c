// What the blurs g4, g6 and g7 share and is not the lesson of any of them: the size of a tile whose threads compute two
// pixels each, one above the other, and how pairs of neighbours come from the picture into it.
#pragma once

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#endif
#ifndef PAD
#define PAD 0
#endif

// The tile: the block's rows and columns with a border of 3, from an even column on. A block too tall
// for 48 KB of shared memory works through its rows in bands; the usual one needs one band only.
constexpr int kRows = 2 * BLOCK_Y;
constexpr int kPairs = (BLOCK_X + 8) / 2;
constexpr int kPitch = 2 * kPairs + PAD;
constexpr int kRowsThatFit = 48 * 1024 / (4 * kPitch) - 6;
constexpr int kBandRows = kRows <= kRowsThatFit ? kRows : kRowsThatFit / 2 * 2;
constexpr int kTileRows = kBandRows + 6;
constexpr int kLoadsDown = (kTileRows + BLOCK_Y - 1) / BLOCK_Y;
constexpr int kLoadsAcross = (kPairs + BLOCK_X - 1) / BLOCK_X;

// What a thread brings into the tile.
using Pairs = uchar2[kLoadsDown][kLoadsAcross];

// Two horizontal neighbours from the even column x on; outside the picture counts as 0. With an odd width
// every second row starts at an odd address, where a 2-byte load is not allowed: then two 1-byte loads.
static __device__ uchar2 load_pair(const unsigned char* __restrict__ src, int x, int y, int width, int height) {
    if (unsigned(x) >= unsigned(width) || unsigned(y) >= unsigned(height)) return make_uchar2(0, 0);
    const unsigned char* from = src + y * width + x;
    if (width % 2 == 0) return *reinterpret_cast<const uchar2*>(from);
    return make_uchar2(from[0], x + 1 < width ? from[1] : 0);
}

// Reads the columns from `left` on of the band that begins at row `top`, with its border. All reads are in flight before
// the first is stored. Threads beyond the tile read too: to keep them from it costs more.
static __device__ void load_pairs(Pairs& pixels, const unsigned char* __restrict__ src, int left, int top, int width,
                                  int height) {
#pragma unroll
    for (int i = 0; i < kLoadsDown; ++i) {
#pragma unroll
        for (int j = 0; j < kLoadsAcross; ++j) {
            const int from_x = left + 2 * (threadIdx.x + j * BLOCK_X);
            const int from_y = top - 3 + threadIdx.y + i * BLOCK_Y;
            pixels[i][j] = load_pair(src, from_x, from_y, width, height);
        }
    }
}

// Calls store(row, column, pair) for each pair that lies in the tile: how it is stored is the kernels' own.
template <typename Store> static __device__ void each_pair(const Pairs& pixels, Store store) {
#pragma unroll
    for (int i = 0; i < kLoadsDown; ++i) {
#pragma unroll
        for (int j = 0; j < kLoadsAcross; ++j) {
            const int row = threadIdx.y + i * BLOCK_Y;
            const int column = 2 * (threadIdx.x + j * BLOCK_X);
            if (row < kTileRows && column < 2 * kPairs) store(row, column, pixels[i][j]);
        }
    }
}
