// Fused f4: packed arithmetic, and four rows at a time.
//
// Grew from f3. Four gray bytes are weighed by one instruction (dp4a), two sums of 16 bits share a register, byte
// permutes take the place of conversions: marching.cuh has the arithmetic. Rows go in groups of four: the next group is
// in flight while this one is worked on, and independent instructions of four rows hide each other's latency.
// Why it should win: f3 is bound by instructions; this takes a third of them.
// Counter to watch: instructions per pixel; issued instructions per clock.
// Stops winning: where memory is the limit: the loads of a group come in a burst, and then none.

// knob: BLOCK_X = 32 in 32..32  one warp along a row: 30 of its lanes write 4 pixels each
// knob: BLOCK_Y = 2 in 1..8  warps of a block, one strip of rows each
// knob: ROWS = 56 in 4..512  rows of a strip
// elements per block: 120 x ROWS * BLOCK_Y
// needs compute capability: 6.1  dp4a

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 2
#endif
#ifndef ROWS
#define ROWS 56
#endif

#include "marching.cuh"

// A warp's strip. Rows are counted from the first one that it writes: the filters start at -4.
struct Strip {
    const uchar4* source;  // the lane's pixels in the next row to ask for
    unsigned char* target;
    int x, width;
    int rows;              // to write
    int next;              // the row to ask for
    uint4 ahead[4];        // the next group
    bool column, writes;
    Filters filters;

    // Asks for 4 rows. What lies outside of the picture becomes 0.
    template <bool kAligned, bool kInner> __device__ void ask() {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            ahead[j] = {0, 0, 0, 0};
            const bool inside = column && (kInner || (next + j >= -filters.before && next + j < filters.after));
            const uchar4* from = source + (long long)width * j;
            if constexpr (kAligned) {
                if (inside) ahead[j] = *reinterpret_cast<const uint4*>(from);
            } else {
                const unsigned* one = reinterpret_cast<const unsigned*>(from);
                if (inside) ahead[j].x = one[0];
                if (inside && x + 1 < width) ahead[j].y = one[1];
                if (inside && x + 2 < width) ahead[j].z = one[2];
                if (inside && x + 3 < width) ahead[j].w = one[3];
            }
        }
        source += 4ll * width;
        next += 4;
    }

    // Blurs down to the 4 rows from `row` on: blurred[j] belongs to row + j - 3.
    template <bool kAligned, bool kInner> __device__ void blur(int row, uint2 (&blurred)[4]) {
        uint4 pixels[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) pixels[j] = ahead[j];
        ask<kAligned, kInner>();
        unsigned own[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) own[j] = gray_of(pixels[j]);
        filters.blur_rows<kInner>(row, own, blurred);
    }

    // Writes 4 rows from `row` on, once there are edges to write.
    template <bool kAligned, bool kInner> __device__ void march(int row) {
        uint2 blurred[4];
        blur<kAligned, kInner>(row + kBorder, blurred);
        if (!kInner && row < -kBorder) return;
        float corner[4][5];
        filters.add_rows(blurred, corner);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const unsigned word = filters.edge_word(j, corner);
            if (writes && (kInner || (row >= 0 && row + j < rows))) write<kAligned>(target + (long long)width * j, word);
        }
        filters.keep_last(corner);
        if (kInner || row >= 0) target += 4ll * width;
    }

    // The first two groups fill the pipeline: the last two blurred rows of the second start the edges. Where
    // nothing near a border can come, no row is tested.
    template <bool kAligned> __device__ void run() {
        ask<kAligned, false>();
        int row = -2 * kBorder;
#pragma unroll 1
        for (; row < 0; row += 4) march<kAligned, false>(row);
        if constexpr (kAligned) {
            const int inner = min(rows - 4, filters.after - 3 * kBorder);
#pragma unroll 1
            for (; row <= inner; row += 4) march<kAligned, true>(row);
        }
#pragma unroll 1
        for (; row < rows; row += 4) march<kAligned, false>(row);
    }

    template <bool kAligned> __device__ void write(unsigned char* to, unsigned word) const {
        if constexpr (kAligned) {
            *reinterpret_cast<unsigned*>(to) = word;
        } else {
#pragma unroll 1
            for (int i = 0; i < 4; ++i) {
                if (x + i < width) to[i] = word >> 8 * i;
            }
        }
    }
};

extern "C" __global__ void __launch_bounds__(32 * BLOCK_Y)
gray_blur_edge(const uchar4* __restrict__ src, unsigned char* __restrict__ dst, int width, int height) {
    const int lane = threadIdx.x;
    const int top = (blockIdx.y * BLOCK_Y + (BLOCK_Y == 1 ? 0 : threadIdx.y)) * ROWS;
    if (top >= height) return;

    Strip strip = {};
    strip.x = int(blockIdx.x) * 120 + lane * 4 - kBorder;
    strip.width = width;
    strip.rows = min(ROWS, height - top);
    strip.column = strip.x >= 0 && strip.x < width;
    strip.writes = strip.column && lane >= 1 && lane <= 30;
    strip.filters.before = top;
    strip.filters.after = height - top;
    strip.next = -kBorder;
    strip.source = src + ((long long)(top - kBorder) * width + strip.x);
    strip.target = dst + ((long long)top * width + strip.x);
    strip.filters.start(strip.x, width, strip.column);

    if (width % 4 == 0)
        strip.run<true>();
    else
        strip.run<false>();
}
