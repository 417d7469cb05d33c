// Fused f5: rows arrive by asynchronous copies, and neighbouring warps march towards each other.
//
// Grew from f4. A lane requests its 16 bytes of GROUPS * 4 rows ahead (cp.async) and they wait in shared memory,
// not in registers, so more of them can be in flight. Every second warp marches upwards: the rows that two
// warps share at their common border are then read at the same time, once from memory and once from the cache.
// Why it should win: memory never waits for arithmetic, nor arithmetic for memory.
// Counter to watch: stalls on the long scoreboard; bytes read from device memory against 4 per pixel.
// Stops winning: at the bandwidth of the memory; what is left are the border rows and the start of the march.

// knob: BLOCK_X = 32 in 32..32  one warp along a row: 30 of its lanes write 4 pixels each
// knob: BLOCK_Y = 1 in 1..8  warps of a block, one strip of rows each
// knob: ROWS = 84 in 4..512  rows of a strip
// knob: GROUPS = 3 in 1..6  groups of 4 rows that are in flight
// elements per block: 120 x ROWS * BLOCK_Y
// needs compute capability: 8.0  asynchronous copies to shared memory

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 1
#endif
#ifndef ROWS
#define ROWS 84
#endif
#ifndef GROUPS
#define GROUPS 3
#endif

#include "marching.cuh"

constexpr unsigned kRowBytes = 32 * sizeof(uint4);  // of a row in shared memory
constexpr unsigned kGroupBytes = 4 * kRowBytes;

static __device__ void copy_16(unsigned to, const uchar4* from, bool inside) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(inside ? 16 : 0));
}

static __device__ void copy_4(unsigned to, const uchar4* from, bool inside) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(inside ? 4 : 0));
}

// A warp's strip. Rows are counted along the march from the first row that it writes: the filters start at -4.
struct Strip {
    const uchar4* source;  // the lane's pixels in the next row to ask for
    unsigned char* target;
    long long step;        // from a row to the next one, in pixels
    int x, width;
    int rows;              // to write
    int next;              // the row to ask for
    unsigned ring;         // the lane's place in shared memory
    unsigned slot;         // the group that is read next, and then asked for anew
    bool column, writes;
    Filters filters;

    // Asks for 4 rows. What lies outside of the picture becomes 0.
    template <bool kAligned, bool kInner> __device__ void ask() {
        const unsigned to = ring + slot;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const bool inside = column && (kInner || (next + j >= -filters.before && next + j < filters.after));
            const uchar4* from = source + step * j;
            if constexpr (kAligned) {
                copy_16(to + j * kRowBytes, from, inside);
            } else {
#pragma unroll 1
                for (int i = 0; i < 4; ++i) {
                    const bool has = inside && x + i < width;
                    copy_4(to + j * kRowBytes + 4 * i, has ? from + i : from, has);
                }
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        source += 4 * step;
        next += 4;
        slot = slot == (GROUPS - 1) * kGroupBytes ? 0 : slot + kGroupBytes;
    }

    // Blurs down to the 4 rows from `row` on: blurred[j] belongs to row + j - 3.
    template <bool kAligned, bool kInner> __device__ void blur(int row, uint2 (&blurred)[4]) {
        asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS - 1) : "memory");
        uint4 pixels[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(pixels[j].x), "=r"(pixels[j].y), "=r"(pixels[j].z), "=r"(pixels[j].w)
                         : "r"(ring + slot + j * kRowBytes));
        }
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
            if (writes && (kInner || (row >= 0 && row + j < rows))) write<kAligned>(target + step * j, word);
        }
        filters.keep_last(corner);
        if (kInner || row >= 0) target += 4 * step;
    }

    // The first two groups fill the pipeline: the last two blurred rows of the second start the edges. Where
    // nothing near a border can come, no row is tested.
    template <bool kAligned> __device__ void run() {
        for (int i = 0; i < GROUPS; ++i) ask<kAligned, false>();
        int row = -2 * kBorder;
#pragma unroll 1
        for (; row < 0; row += 4) march<kAligned, false>(row);
        if constexpr (kAligned) {
            const int inner = min(rows - 4, filters.after - 4 * GROUPS - 2 * kBorder);
#pragma unroll 2
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
    __shared__ uint4 ring[BLOCK_Y][GROUPS * 4][32];
    const int lane = threadIdx.x;
    const int warp = BLOCK_Y == 1 ? 0 : threadIdx.y;
    const int number = blockIdx.y * BLOCK_Y + warp;
    const int top = number * ROWS;
    if (top >= height) return;

    Strip strip = {};
    strip.x = int(blockIdx.x) * 120 + lane * 4 - kBorder;
    strip.width = width;
    strip.rows = min(ROWS, height - top);
    strip.column = strip.x >= 0 && strip.x < width;
    strip.writes = strip.column && lane >= 1 && lane <= 30;
    const bool up = number % 2 == 1;
    const int first = up ? top + strip.rows - 1 : top;
    strip.step = up ? -width : width;
    strip.filters.before = up ? height - 1 - first : first;
    strip.filters.after = up ? first + 1 : height - first;
    strip.next = -kBorder;
    const int column = min(max(strip.x, 0), width - 1);
    strip.source = src + ((long long)first * width + column) - kBorder * strip.step;
    strip.target = dst + ((long long)first * width + strip.x);
    strip.ring = unsigned(__cvta_generic_to_shared(&ring[warp][0][lane]));
    strip.filters.start(strip.x, width, strip.column);

    if (width % 4 == 0)
        strip.run<true>();
    else
        strip.run<false>();
}
