// What the kernels of this lab share and is not the lesson of any of them: the rounds of a point, what a region's border
// says, and regions of a picture. Sums and products are rounded one by one, so that every GPU and the CPU agree to the bit.
#pragma once

#ifndef BLOCK_X
#define BLOCK_X 64
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 1
#endif
#ifndef DWELL
#define DWELL 512
#endif

// Sides of regions: the first ones, and those that are split no further.
constexpr int kLargest = 64;
constexpr int kSmallest = 16;
// The border of a region has points of different rounds.
constexpr int kOpen = -1;

// The rounds of z * z + c until z is further than 2 from 0, DWELL at most. `plane`: where the picture's first pixel lies,
// and how far apart pixels are.
static __device__ int dwell_at(const float* plane, int x, int y) {
    const float real = __fadd_rn(plane[0], __fmul_rn(float(x), plane[2]));
    const float imaginary = __fadd_rn(plane[1], __fmul_rn(float(y), plane[2]));
    float a = 0;
    float b = 0;
    int rounds = 0;
    while (rounds < DWELL) {
        const float aa = __fmul_rn(a, a);
        const float bb = __fmul_rn(b, b);
        if (__fadd_rn(aa, bb) > 4) break;
        const float ab = __fmul_rn(a, b);
        b = __fadd_rn(__fadd_rn(ab, ab), imaginary);
        a = __fadd_rn(__fsub_rn(aa, bb), real);
        ++rounds;
    }
    return rounds;
}

// Black inside, bands outside.
static __device__ unsigned char shade(int dwell) {
    return dwell >= DWELL ? 0 : 40 + dwell * 5 % 216;
}

// A square of a picture as far as the picture goes; empty beyond it.
struct Area {
    int left, top, width, height;
    __device__ bool empty() const { return width <= 0 || height <= 0; }
};
static __device__ Area area_of(int left, int top, int side, int width, int height) {
    return {left, top, min(side, width - left), min(side, height - top)};
}

// The n-th quarter of a square of this side.
static __device__ Area quarter_of(int n, int left, int top, int side, int width, int height) {
    return area_of(left + n % 2 * (side / 2), top + n / 2 * (side / 2), side / 2, width, height);
}

// How many pixels a border has, and the n-th of them.
static __device__ int border_of(Area area) {
    if (area.width == 1 || area.height == 1) return area.width * area.height;
    return 2 * (area.width + area.height) - 4;
}
static __device__ int2 on_border(Area area, int n) {
    if (area.width == 1) return {0, n};
    if (n < area.width) return {n, 0};
    n -= area.width;
    if (n < area.width) return {n, area.height - 1};
    n -= area.width;
    return {n % 2 * (area.width - 1), 1 + n / 2};
}

// The rounds of all points of the border, or kOpen. All threads of the block call it, and all get the answer.
static __device__ int common_dwell(const float* plane, Area area) {
    __shared__ int first;
    const int count = border_of(area);
    int mine = kOpen;
    bool same = true;
    for (int n = threadIdx.x; n < count; n += BLOCK_X) {
        const int2 at = on_border(area, n);
        const int dwell = dwell_at(plane, area.left + at.x, area.top + at.y);
        same = same && (mine == kOpen || dwell == mine);
        mine = dwell;
    }
    if (threadIdx.x == 0) first = mine;
    __syncthreads();
    const int common = first;
    same = same && (mine == kOpen || mine == common);
    return __syncthreads_and(same) ? common : kOpen;
}

// ---- what a block does to an area, all its threads together

static __device__ void fill(unsigned char* out, Area area, int dwell, int width) {
    for (int n = threadIdx.x; n < area.width * area.height; n += BLOCK_X)
        out[(area.top + n / area.width) * size_t(width) + area.left + n % area.width] = shade(dwell);
}

static __device__ void each_pixel(const float* plane, unsigned char* out, Area area, int width) {
    for (int n = threadIdx.x; n < area.width * area.height; n += BLOCK_X) {
        const int x = area.left + n % area.width;
        const int y = area.top + n / area.width;
        out[y * size_t(width) + x] = shade(dwell_at(plane, x, y));
    }
}

// A square that is open: its quarters one after the other, and theirs.
template <int kSide>
static __device__ void split(const float* plane, unsigned char* out, int left, int top, int width, int height) {
    if constexpr (kSide == kSmallest) {
        each_pixel(plane, out, area_of(left, top, kSide, width, height), width);
    } else {
        for (int n = 0; n < 4; ++n) {
            const Area area = quarter_of(n, left, top, kSide, width, height);
            if (area.empty()) continue;
            const int common = common_dwell(plane, area);
            if (common != kOpen)
                fill(out, area, common, width);
            else
                split<kSide / 2>(plane, out, area.left, area.top, width, height);
        }
    }
}
