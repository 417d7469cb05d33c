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
// pixels per block: 120 x 4 * BLOCK_Y
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

constexpr unsigned kAll = 0xFFFFFFFF;
constexpr int kBorder = 4;                          // pixels that the filters reach beyond their own
constexpr int kAcross = 120;                        // pixels of a strip's row
constexpr int kUnevenAcross = 112;                  // the same where the words of rows do not lie below each other
constexpr unsigned kRowBytes = 32 * sizeof(uint4);  // of a row in shared memory
constexpr unsigned kGroupBytes = 4 * kRowBytes;
constexpr float kMagic = 8388608;  // 2^23: its last bit is worth 1

// Four RGBA pixels to four gray bytes. The bits of 2^23 with a byte put in last are 2^23 + that byte; the
// multiply-add takes the 2^23 off again and rounds the product once, as a multiplication would.
static __device__ unsigned gray_of(uint4 pixels) {
    const unsigned pixel[4] = {pixels.x, pixels.y, pixels.z, pixels.w};
    unsigned gray[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float red = __uint_as_float(__byte_perm(pixel[i], 0x4B000000, 0x7440));
        const float green = __uint_as_float(__byte_perm(pixel[i], 0x4B000000, 0x7441));
        const float blue = __uint_as_float(__byte_perm(pixel[i], 0x4B000000, 0x7442));
        const float sum = __fadd_rn(__fadd_rn(__fmaf_rn(red, 0.299f, -0.299f * kMagic),
                                              __fmaf_rn(green, 0.587f, -0.587f * kMagic)),
                                    __fmaf_rn(blue, 0.114f, -0.114f * kMagic));
        gray[i] = __float_as_uint(__fadd_rd(sum, kMagic));  // cut off; the gray value is the last byte
    }
    return __byte_perm(__byte_perm(gray[0], gray[1], 0x0040), __byte_perm(gray[2], gray[3], 0x0040), 0x5410);
}

// Sums of [1 2 3 4 3 2 1] for a lane's four pixels, two 16-bit sums in a register, from its own gray bytes and its
// neighbours'. dp4a multiplies four bytes by four weights and adds.
static __device__ uint2 row_sums(unsigned left, unsigned own, unsigned right) {
    const unsigned s0 = __dp4a(left, 0x03020100u, __dp4a(own, 0x01020304u, 0u));
    const unsigned s1 = __dp4a(left, 0x02010000u, __dp4a(own, 0x02030403u, __dp4a(right, 0x00000001u, 0u)));
    const unsigned s2 = __dp4a(left, 0x01000000u, __dp4a(own, 0x03040302u, __dp4a(right, 0x00000102u, 0u)));
    const unsigned s3 = __dp4a(own, 0x04030201u, __dp4a(right, 0x00010203u, 0u));
    return {s1 * 65536 + s0, s3 * 65536 + s2};
}

// [1 2 3 4 3 2 1] is [1 1 1 1] twice, and a sum of the last four is the sum before plus the new one minus the
// one that leaves. Sums stay below 2^16: additions of two at once do not touch each other.
struct ColumnSums {
    unsigned rows[4], fours[4];  // the last four row sums, and the last four sums of four
    unsigned four, sum;

    __device__ unsigned add(int j, unsigned row) {
        four += row - rows[j];
        rows[j] = row;
        sum += four - fours[j];
        fours[j] = four;
        return sum;
    }
};

// The length of the gradient from four sums of 2 x 2 pixels: gx^2 + gy^2 is 2 (a^2 + b^2) with the two
// differences along the diagonals. Sums are in units of 1/256. Returned is 0x3F7FFF01 + min(255, length): a float
// just below 1, to which the length is added in its last bits, and which saturates at 1.
static __device__ unsigned edge_bits(float before_left, float before_right, float left, float right) {
    const float a = right - before_left;
    const float b = before_right - left;
    // A quarter (of 1/256 squared) more: exact squares cannot fall below their root, others not reach it.
    const float square = __fmaf_rn(a, a, __fmaf_rn(b, b, 0.25f / 65536));
    float root, bits;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(square));
    asm("fma.rm.sat.f32 %0, %1, %2, %3;"
        : "=f"(bits)
        : "f"(root), "f"(1.41421356f * 256 / 16777216), "f"(1 - 255.0f / 16777216));
    return __float_as_uint(bits);
}

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
    int before, after;     // rows of the picture before row 0 and from it on
    int last;              // rows that are asked for lie before this one
    int next;              // the row to ask for
    const uint4* source_end;  // behind the word in which the picture ends
    unsigned ring;         // the lane's place in shared memory
    unsigned slot;         // the group that is read next, and then asked for anew
    unsigned select[4];    // for byte permutes: a blurred pixel, or 0 outside of the picture

    ColumnSums sums[2];
    float pairs[4];        // blurred pixels of the row before: each with its right neighbour
    float corners[5];      // sums of 2 x 2 blurred pixels

    // Asks for 4 rows. What lies outside of the picture becomes 0, here or by `keep`.
    template <bool kInner> __device__ void ask() {
        const unsigned to = ring + slot;
        if (!kInner || next < last) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const int away = kAligned ? j * (step / 4) : offset[j];
                unsigned bytes = kAligned && !column ? 0 : 16;
                if constexpr (!kInner) {
                    if (next + j < -before || next + j >= last) bytes = 0;
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
        unsigned own[4], left_of[4], right_of[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) own[j] = gray_of(pixels[j]);
        if constexpr (!kAligned) {
#pragma unroll
            for (int j = 0; j < 4; ++j)
                own[j] = __funnelshift_r(own[j], __shfl_down_sync(kAll, own[j], 1), shift[j]) & keep;
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            left_of[j] = __shfl_up_sync(kAll, own[j], 1);
            right_of[j] = __shfl_down_sync(kAll, own[j], 1);
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const uint2 now = row_sums(left_of[j], own[j], right_of[j]);
            blurred[j] = {sums[0].add(j, now.x), sums[1].add(j, now.y)};
        }
        if constexpr (!kInner) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                if (row + j - 3 < -before || row + j - 3 >= after) blurred[j] = {0, 0};
            }
        }
    }

    // The lane's four pixels of a blurred row and the one to their right, 128 + value / 256 each: the byte goes
    // into the middle of the bits of 128, which the differences lose again.
    __device__ void widen(uint2 blurred, float (&pixel)[5]) const {
        pixel[0] = __uint_as_float(__byte_perm(blurred.x, 0x43000000, select[0]));
        pixel[1] = __uint_as_float(__byte_perm(blurred.x, 0x43000000, select[1]));
        pixel[2] = __uint_as_float(__byte_perm(blurred.y, 0x43000000, select[2]));
        pixel[3] = __uint_as_float(__byte_perm(blurred.y, 0x43000000, select[3]));
        pixel[4] = __shfl_down_sync(kAll, pixel[0], 1);
    }

    // Sums of 2 x 2 pixels: of this row and the one before. corner[0] is the left neighbour's last.
    __device__ void add_corners(const float (&pixel)[5], float (&corner)[5]) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float pair = pixel[i] + pixel[i + 1];
            corner[i + 1] = pair + pairs[i];
            pairs[i] = pair;
        }
        corner[0] = __shfl_up_sync(kAll, corner[4], 1);
    }

    // Writes 4 rows from `row` on, once there are edges to write.
    template <bool kInner> __device__ void march(int row) {
        uint2 blurred[4];
        blur<kInner>(row + kBorder, blurred);
        if (!kInner && row < -kBorder) return;
        float pixel[4][5], corner[4][5];
#pragma unroll
        for (int j = 0; j < 4; ++j) widen(blurred[j], pixel[j]);
#pragma unroll
        for (int j = 0; j < 4; ++j) add_corners(pixel[j], corner[j]);
        if (kInner || row >= 0) {
            unsigned edges[4];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const float* above = j == 0 ? corners : corner[j - 1];
                unsigned edge[4];
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    edge[i] = edge_bits(above[i], above[i + 1], corner[j][i], corner[j][i + 1]);
                // Shifted and added as numbers, less what the four bits of floats add up to.
                edges[j] =
                    (edge[3] * 256 + edge[2]) * 65536 + (edge[1] * 256 + edge[0]) - 0x3F7FFF01u * 0x01010101u;
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
#pragma unroll
        for (int i = 0; i < 5; ++i) corners[i] = corner[3][i];
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
        const int inner = min(rows - 4, after - 4 * GROUPS - 2 * kBorder - (kAligned ? 0 : 4));
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
    strip.before = up ? height - 1 - first : first;
    strip.after = up ? first + 1 : height - first;
    strip.last = min(strip.after, strip.rows + kBorder);
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
#pragma unroll
    for (int i = 0; i < 4; ++i)
        strip.select[i] = strip.column && strip.x + i < width ? (i % 2 ? 0x7434 : 0x7414) : 0x7444;
#pragma unroll
    for (int i = 0; i < 4; ++i) strip.pairs[i] = 256;
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
