// Fused f6: work for every multiprocessor, and words of 16 bytes whatever the width.
//
// Grew from f5. The grid gives every multiprocessor as many warps as the others, whatever the picture; strips are as
// high as that takes. Where the width is no multiple of 4, a lane still copies whole words of 16 bytes, which then
// begin up to 3 pixels before its own: once they are gray, a shift between two lanes sets 4 of them right, and
// another one shifts the edges back, so that they are stored as words. Only the ends of rows are written as bytes.
// The word in which the picture ends is read as a whole: the memory of every picture reaches to the next multiple of
// 16 bytes. What lies behind the picture there counts as 0, like all that lies outside.
// Why it should win: no multiprocessor waits for another; one request of 16 bytes instead of four of 4.
// Counter to watch: active warps, alike on all multiprocessors; sectors per request at odd widths.
// Stops winning: where strips are so low that the 8 rows before and after them weigh more than an idle scheduler.

// knob: BLOCK_X = 32 in 32..32  one warp along a row: 30 of its lanes write 4 pixels each, 28 at odd widths
// knob: BLOCK_Y = 1 in 1..6  warps of a block, one strip of rows each
// knob: WARPS = 8 in 1..32  warps for each multiprocessor: two for each of its four schedulers
// knob: GROUPS = 4 in 1..6  groups of 4 rows that are in flight
// elements per block: 120 x 4 * BLOCK_Y
// pixels across if the width is no multiple of 4: 112
// warps per multiprocessor: WARPS
// needs compute capability: 8.0  asynchronous copies to shared memory

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 1
#endif
#ifndef GROUPS
#define GROUPS 4
#endif

#include "marching.cuh"

constexpr int kAcross = 120;                        // pixels of a strip's row
constexpr int kUnevenAcross = 112;                  // the same where the words of rows do not lie below each other
constexpr unsigned kRowBytes = 32 * sizeof(uint4);  // of a row in shared memory
constexpr unsigned kGroupBytes = 4 * kRowBytes;

static __device__ void copy_16(unsigned to, const uint4* from, unsigned bytes) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
}

// A warp's strip. Rows are counted along the march from the first row that it writes: the filters start at -4. Words
// are 4 pixels; a row's first word begins 0 to 3 pixels before the row, its phase, the same for every fourth row.
template <bool kAligned> struct Strip {
    const uint4* source;   // the lane's word in the next row to ask for
    unsigned* target;
    int step;              // words from a row to the one 4 further on
    int x;                 // of the lane's first pixel
    int source_x;          // the same, where it reads: no further out than words that count
    int offset[4];         // from the lane's word in a group's first row to that in each of the others, in words
    unsigned shift[4];     // the phases of a group's rows, 8 bits for each pixel
    unsigned keep;         // the bytes of the lane's pixels that lie inside of the picture
    bool column;           // any of them does
    unsigned words;        // a bit for each row of a group: the lane writes its word
    bool ends;             // the strip has the first or the last pixel of its rows
    int end;               // ends: where lanes 0 to 15 and 16 to 31 write the bytes of a group's first and last words,
    int end_lane;          // 4 of each row, and the lane that has them; -1 where there is nothing to write
    int rows;              // to write
    int last;              // rows that are asked for lie before this one
    int next;              // the row to ask for
    const uint4* source_end;  // behind the word in which the picture ends
    unsigned ring;         // the lane's place in shared memory
    unsigned slot;         // the group that is read next, and then asked for anew
    Filters filters;

    // Asks for 4 rows. What lies outside of the picture becomes 0, here or by `keep`.
    template <bool kInner> __device__ void ask() {
        const unsigned to = ring + slot;
        if (!kInner || next < last) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const int away = kAligned ? j * (step / 4) : offset[j];
                unsigned bytes = kAligned && !column ? 0 : 16;
                if constexpr (!kInner) {
                    if (next + j < -filters.before || next + j >= last) bytes = 0;
                    if (!kAligned && source + away >= source_end) bytes = 0;
                }
                copy_16(to + j * kRowBytes, source + away, bytes);
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        source += step;
        next += 4;
        slot = slot == (GROUPS - 1) * kGroupBytes ? 0 : slot + kGroupBytes;
    }

    // Blurs down to the 4 rows from `row` on: blurred[j] belongs to row + j - 3.
    template <bool kInner> __device__ void blur(int row, uint2 (&blurred)[4]) {
        asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS - 1) : "memory");
        uint4 pixels[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(pixels[j].x), "=r"(pixels[j].y), "=r"(pixels[j].z), "=r"(pixels[j].w)
                         : "r"(ring + slot + j * kRowBytes));
        }
        ask<kInner>();
        unsigned own[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) own[j] = gray_of(pixels[j]);
        if constexpr (!kAligned) {
#pragma unroll
            for (int j = 0; j < 4; ++j)
                own[j] = __funnelshift_r(own[j], __shfl_down_sync(kAll, own[j], 1), shift[j]) & keep;
        }
        filters.template blur_rows<kInner>(row, own, blurred);
    }

    // Writes 4 rows from `row` on, once there are edges to write.
    template <bool kInner> __device__ void march(int row) {
        uint2 blurred[4];
        blur<kInner>(row + kBorder, blurred);
        if (!kInner && row < -kBorder) return;
        float corner[4][5];
        filters.add_rows(blurred, corner);
        if (kInner || row >= 0) {
            unsigned edges[4];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                edges[j] = filters.edge_word(j, corner);
                if constexpr (!kAligned)
                    edges[j] = __funnelshift_l(__shfl_up_sync(kAll, edges[j], 1), edges[j], shift[j]);
                const bool writes = kAligned ? words != 0 : (words >> j & 1) != 0;
                const int away = kAligned ? j * (step / 4) : offset[j];
                if (writes && (kInner || row + j < rows)) target[away] = edges[j];
            }
            if constexpr (!kAligned) {
                if (ends) write_ends(edges, rows - row);
            }
            target += step;
        }
        filters.keep_last(corner);
    }

    // The words at the ends of rows belong to two rows: a lane writes one byte of one of them.
    __device__ void write_ends(const unsigned (&edges)[4], int count) const {
        const int row = threadIdx.x / 4 % 4;
        unsigned word = 0;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const unsigned there = __shfl_sync(kAll, edges[j], end_lane & 31);
            if (row == j) word = there;
        }
        if (end_lane >= 0 && row < count)
            reinterpret_cast<unsigned char*>(target)[end] = word >> threadIdx.x % 4 * 8;
    }

    // The first two groups fill the pipeline: the last two blurred rows of the second start the edges. Where
    // nothing near a border can come, no row is tested; at odd widths that is a group sooner, since a lane beyond the
    // end of the picture's last row would ask for a word behind the picture.
    __device__ void run() {
#pragma unroll
        for (int i = 0; i < GROUPS; ++i) ask<false>();
        int row = -2 * kBorder;
#pragma unroll 1
        for (; row < 0; row += 4) march<false>(row);
        const int inner = min(rows - 4, filters.after - 4 * GROUPS - 2 * kBorder - (kAligned ? 0 : 4));
#pragma unroll 2
        for (; row <= inner; row += 4) march<true>(row);
#pragma unroll 1
        for (; row < rows; row += 4) march<false>(row);
    }

    // Where the lane's words of the group lie, which of them it writes, and which bytes at the ends of rows.
    __device__ void place(int left_of_lanes, int phase_of_first, int side, int width) {
        const int lane = threadIdx.x;
        const bool last_column = left_of_lanes + 2 * kBorder + kUnevenAcross >= width;
        const int last_lane = last_column ? 30 : 29;  // in the last column lane 30 has what a phase pushes out of 29
        ends = left_of_lanes < 0 || last_column;
        keep = x < 0 || x >= width ? 0 : kAll >> 8 * (4 - min(4, width - x));
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int first = phase_of_first + side * j;
            const int phase = first & 3;
            offset[j] = first >> 2;
            shift[j] = 8 * phase;
            const bool whole = x >= phase && x - phase + 4 <= width;
            words |= unsigned(whole && lane >= 2 && lane <= last_lane) << j;
        }
        // The byte that this lane writes: of its row's first word, or of the last one if that is another.
        const int first = phase_of_first + side * (lane / 4 % 4);
        const int phase = first & 3;
        const int last_word = (width - 1 + phase) / 4 * 4;
        const int word = lane < 16 ? 0 : last_word;
        const int at = word - phase + lane % 4;
        const int owner = (word - left_of_lanes) / 4;
        const bool whole = word >= phase && word - phase + 4 <= width;
        const bool once = lane < 16 || last_word > 0;
        const bool here = word > left_of_lanes && owner >= 2 && owner <= last_lane;
        end_lane = !whole && once && here && at >= 0 && at < width ? owner : -1;
        end = first + at - x;
    }
};

template <bool kAligned>
static __device__ void march(const uchar4* src, unsigned char* dst, int width, int height, unsigned ring) {
    const int lane = threadIdx.x;
    const int number = blockIdx.y * BLOCK_Y + (BLOCK_Y == 1 ? 0 : threadIdx.y);
    const int strips = gridDim.y * BLOCK_Y;
    const int high = ((height + strips - 1) / strips + 3) / 4 * 4;
    const int top = number * high;
    if (top >= height) return;

    Strip<kAligned> strip = {};
    const int left_of_lanes = int(blockIdx.x) * (kAligned ? kAcross : kUnevenAcross) - kBorder * (kAligned ? 1 : 2);
    strip.x = left_of_lanes + lane * 4;
    strip.column = strip.x >= 0 && strip.x < width;
    strip.rows = min(high, height - top);
    const bool up = number % 2 == 1;
    const int first = up ? top + strip.rows - 1 : top;
    strip.step = up ? -width : width;
    strip.filters.before = up ? height - 1 - first : first;
    strip.filters.after = up ? first + 1 : height - first;
    strip.last = min(strip.filters.after, strip.rows + kBorder);
    strip.next = -kBorder;
    strip.ring = ring;
    const long long start = (long long)first * width;  // the pixel at the left of row 0
    if constexpr (kAligned) {
        strip.words = strip.column && lane >= 1 && lane <= 30;
    } else {
        strip.place(left_of_lanes, int(start & 3), strip.step, width);
        strip.source_end = reinterpret_cast<const uint4*>(src) + (((long long)width * height + 3) >> 2);
    }
    strip.source_x = min(max(strip.x, 0), (width + 3) / 4 * 4);
    strip.source = reinterpret_cast<const uint4*>(src) + (start >> 2) + (strip.source_x >> 2) - strip.step;
    strip.target = reinterpret_cast<unsigned*>(dst) + (start >> 2) + (strip.x >> 2);
    strip.filters.start(strip.x, width, strip.column);
    strip.run();
}

extern "C" __global__ void __launch_bounds__(32 * BLOCK_Y)
gray_blur_edge(const uchar4* __restrict__ src, unsigned char* __restrict__ dst, int width, int height) {
    __shared__ uint4 ring[BLOCK_Y][GROUPS * 4][32];
    const int warp = BLOCK_Y == 1 ? 0 : threadIdx.y;
    const unsigned own = unsigned(__cvta_generic_to_shared(&ring[warp][0][threadIdx.x]));
    if (width % 4 == 0)
        march<true>(src, dst, width, height, own);
    else
        march<false>(src, dst, width, height, own);
}
