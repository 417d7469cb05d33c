// Fused f4: packed arithmetic, and four rows at a time.
//
// Grew from f3. Four gray bytes are weighed by one instruction (dp4a); two sums of 16 bits share a register; byte
// permutes and rounded additions take the place of conversions; the gradient's length comes from the two
// diagonal differences of 2 x 2 sums, and its root from one instruction with a margin that keeps every
// byte exact. Rows go in groups of four: the next group is in flight while this one is worked on, and
// independent instructions of four rows hide each other's latency.
// Why it should win: f3 is bound by instructions; this takes a third of them.
// Counter to watch: instructions per pixel; issued instructions per clock.
// Stops winning: where memory is the limit: the loads of a group come in a burst, and then none.

// knob: BLOCK_X = 32 in 32..32  one warp along a row: 30 of its lanes write 4 pixels each
// knob: BLOCK_Y = 2 in 1..8  warps of a block, one strip of rows each
// knob: ROWS = 56 in 4..512  rows of a strip
// pixels per block: 120 x ROWS * BLOCK_Y
// needs compute capability: 6.1  dp4a

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 2
#endif
#ifndef ROWS
#define ROWS 56
#endif

constexpr unsigned kAll = 0xFFFFFFFF;
constexpr int kBorder = 4;                          // pixels that the filters reach beyond their own
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

// A warp's strip. Rows are counted from the first one that it writes: the filters start at -4.
struct Strip {
    const uchar4* source;  // the lane's pixels in the next row to ask for
    unsigned char* target;
    int x, width;
    int rows;              // to write
    int before, after;     // rows of the picture before row 0 and from it on
    int next;              // the row to ask for
    uint4 ahead[4];        // the next group
    bool column, writes;
    unsigned select[4];    // for byte permutes: a blurred pixel, or 0 outside of the picture

    ColumnSums sums[2];
    float pairs[4];        // blurred pixels of the row before: each with its right neighbour
    float corners[5];      // sums of 2 x 2 blurred pixels

    // Asks for 4 rows. What lies outside of the picture becomes 0.
    template <bool kAligned, bool kInner> __device__ void ask() {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            ahead[j] = {0, 0, 0, 0};
            const bool inside = column && (kInner || (next + j >= -before && next + j < after));
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
        unsigned own[4], left[4], right[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) own[j] = gray_of(pixels[j]);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            left[j] = __shfl_up_sync(kAll, own[j], 1);
            right[j] = __shfl_down_sync(kAll, own[j], 1);
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const uint2 now = row_sums(left[j], own[j], right[j]);
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
    template <bool kAligned, bool kInner> __device__ void march(int row) {
        uint2 blurred[4];
        blur<kAligned, kInner>(row + kBorder, blurred);
        if (!kInner && row < -kBorder) return;
        float pixel[4][5], corner[4][5];
#pragma unroll
        for (int j = 0; j < 4; ++j) widen(blurred[j], pixel[j]);
#pragma unroll
        for (int j = 0; j < 4; ++j) add_corners(pixel[j], corner[j]);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float* before = j == 0 ? corners : corner[j - 1];
            unsigned edge[4];
#pragma unroll
            for (int i = 0; i < 4; ++i)
                edge[i] = edge_bits(before[i], before[i + 1], corner[j][i], corner[j][i + 1]);
            // Shifted and added as numbers, less what the four bits of floats add up to.
            const unsigned word =
                (edge[3] * 256 + edge[2]) * 65536 + (edge[1] * 256 + edge[0]) - 0x3F7FFF01u * 0x01010101u;
            if (writes && (kInner || (row >= 0 && row + j < rows))) write<kAligned>(target + (long long)width * j, word);
        }
#pragma unroll
        for (int i = 0; i < 5; ++i) corners[i] = corner[3][i];
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
            const int inner = min(rows - 4, after - 3 * kBorder);
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
    strip.before = top;
    strip.after = height - top;
    strip.next = -kBorder;
    strip.source = src + ((long long)(top - kBorder) * width + strip.x);
    strip.target = dst + ((long long)top * width + strip.x);
#pragma unroll
    for (int i = 0; i < 4; ++i)
        strip.select[i] = strip.column && strip.x + i < width ? (i % 2 ? 0x7434 : 0x7414) : 0x7444;
#pragma unroll
    for (int i = 0; i < 4; ++i) strip.pairs[i] = 256;

    if (width % 4 == 0)
        strip.run<true>();
    else
        strip.run<false>();
}
