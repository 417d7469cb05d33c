// What the marching kernels fused_f4, f5 and f6 share: the filters themselves, for the four pixels of a lane and four
// rows at a time. A warp marches along a strip of rows; lane n's neighbours to the left and right are lanes n - 1 and
// n + 1, so that only the first and the last lane lack one. How rows arrive and edges leave is in the kernels' files.
//
// Four gray bytes are weighed by one instruction (dp4a); two sums of 16 bits share a register; byte permutes and
// rounded additions take the place of conversions; the gradient's length comes from the two diagonal differences of
// 2 x 2 sums, and its root from one instruction with a margin that keeps every byte exact.

#pragma once

constexpr unsigned kAll = 0xFFFFFFFF;
constexpr int kBorder = 4;         // pixels that the filters reach beyond their own
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

// What a lane keeps from row to row. Rows are counted along the march from the first one that the warp writes: the
// filters start at -4.
struct Filters {
    int before, after;   // rows of the picture before row 0 and from it on
    unsigned select[4];  // for byte permutes: a blurred pixel, or 0 outside of the picture
    ColumnSums sums[2];
    float pairs[4];      // blurred pixels of the row before: each with its right neighbour
    float corners[5];    // sums of 2 x 2 blurred pixels of the row before

    // `column`: any of the lane's pixels, the first of which is x, lies inside of the picture.
    __device__ void start(int x, int width, bool column) {
#pragma unroll
        for (int i = 0; i < 4; ++i) select[i] = column && x + i < width ? (i % 2 ? 0x7434 : 0x7414) : 0x7444;
#pragma unroll
        for (int i = 0; i < 4; ++i) pairs[i] = 256;
    }

    // Blurs the gray bytes of the 4 rows from `row` on: blurred[j] belongs to row + j - 3. kInner: no row lies
    // outside of the picture.
    template <bool kInner> __device__ void blur_rows(int row, const unsigned (&own)[4], uint2 (&blurred)[4]) {
        unsigned left[4], right[4];
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

    // Sums of 2 x 2 blurred pixels: of each of 4 rows and the one before it.
    __device__ void add_rows(const uint2 (&blurred)[4], float (&corner)[4][5]) {
        float pixel[4][5];
#pragma unroll
        for (int j = 0; j < 4; ++j) widen(blurred[j], pixel[j]);
#pragma unroll
        for (int j = 0; j < 4; ++j) add_corners(pixel[j], corner[j]);
    }

    // The four edges of row j, a byte each.
    __device__ unsigned edge_word(int j, const float (&corner)[4][5]) const {
        const float* above = j == 0 ? corners : corner[j - 1];
        unsigned edge[4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
            edge[i] = edge_bits(above[i], above[i + 1], corner[j][i], corner[j][i + 1]);
        // Shifted and added as numbers, less what the four bits of floats add up to.
        return (edge[3] * 256 + edge[2]) * 65536 + (edge[1] * 256 + edge[0]) - 0x3F7FFF01u * 0x01010101u;
    }

    // The last of 4 rows is the one before the next 4.
    __device__ void keep_last(const float (&corner)[4][5]) {
#pragma unroll
        for (int i = 0; i < 5; ++i) corners[i] = corner[3][i];
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
};
