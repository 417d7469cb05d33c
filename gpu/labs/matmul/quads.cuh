// What the kernels with words of 16 bytes (matmul_m6, m7 and m8) share: where a thread's results lie, the tiles in shared
// memory, a step of multiply-adds and the store. C = A x B: B and C have `height` rows of `width` elements, A has `height`
// rows of `height` elements. Every element of C is a sum of fused multiply-adds, in ascending order of k.
#pragma once

#ifndef BLOCK_X
#define BLOCK_X 16
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 16
#endif
#ifndef ACROSS
#define ACROSS 2
#endif
#ifndef DOWN
#define DOWN 2
#endif
#ifndef KSTEP_LOG2
#define KSTEP_LOG2 3
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 2
#endif
#ifndef WARP_TILES
#define WARP_TILES 1
#endif

constexpr int kThreads = BLOCK_X * BLOCK_Y;
constexpr int kStep = 1 << KSTEP_LOG2;         // columns of A and rows of B that lie in shared memory
constexpr int kTileColumns = 4 * ACROSS * BLOCK_X;
constexpr int kTileRows = 4 * DOWN * BLOCK_Y;

// So many registers may a thread have that MIN_BLOCKS of 256 threads fit.
#define LAUNCH_BOUNDS __launch_bounds__(kThreads, MIN_BLOCKS * 256 / kThreads > 0 ? MIN_BLOCKS * 256 / kThreads : 1)

// A is turned, so that the elements that a thread needs for one k lie side by side. Its rows are four words longer: what the
// lanes of a warp store, at several k and rows, lies in different banks, and rows still begin at multiples of 16 bytes.
struct Tiles {
    alignas(16) float a[kStep][kTileRows + 4];
    alignas(16) float b[kStep][kTileColumns];
};

// The thread's place among those of the block: its results begin at the fourfold of it.
struct Place {
    int x, y;
};

static __device__ __forceinline__ Place place_of(int thread) {
#if WARP_TILES
    // A warp has 8 x 4 places. Lanes 0 and 1 lie beside each other and need the same of A, lanes 0 and 2 below each other and
    // need the same of B: where such pairs share, 16 lanes are served together instead of 8.
    if constexpr (BLOCK_X % 8 == 0 && BLOCK_Y % 4 == 0) {
        constexpr int kWarpsAcross = BLOCK_X / 8;
        const int warp = thread / 32;
        const int x = (thread & 1) | (thread >> 1 & 6);
        const int y = (thread >> 1 & 1) | (thread >> 3 & 2);
        return {warp % kWarpsAcross * 8 + x, warp / kWarpsAcross * 4 + y};
    }
#endif
    return {thread % BLOCK_X, thread / BLOCK_X};
}

struct Sums {
    float of[4 * DOWN][4 * ACROSS];
};

template <int kQuads>
static __device__ __forceinline__ void read_quads(float (&to)[4 * kQuads], const float* from, int apart) {
#pragma unroll
    for (int i = 0; i < kQuads; ++i) {
        const float4 quad = *reinterpret_cast<const float4*>(from + i * apart);
        to[4 * i] = quad.x;
        to[4 * i + 1] = quad.y;
        to[4 * i + 2] = quad.z;
        to[4 * i + 3] = quad.w;
    }
}

static __device__ __forceinline__ void multiply(const Tiles& tiles, Place place, Sums& sums) {
#pragma unroll
    for (int k = 0; k < kStep; ++k) {
        float of_a[4 * DOWN];
        float of_b[4 * ACROSS];
        read_quads<DOWN>(of_a, &tiles.a[k][4 * place.y], 4 * BLOCK_Y);
        read_quads<ACROSS>(of_b, &tiles.b[k][4 * place.x], 4 * BLOCK_X);
#pragma unroll
        for (int i = 0; i < 4 * DOWN; ++i) {
#pragma unroll
            for (int j = 0; j < 4 * ACROSS; ++j) sums.of[i][j] = fmaf(of_a[i], of_b[j], sums.of[i][j]);
        }
    }
}

// Four elements of a row from this column on; 0 outside of the matrix.
static __device__ __forceinline__ float4 quad_or_zero(const float* __restrict__ matrix, int row, int column, int rows,
                                                      int columns) {
    float4 quad{};
    if (row >= rows || column >= columns) return quad;
    const float* from = matrix + size_t(row) * columns + column;
    quad.x = from[0];
    if (column + 1 < columns) quad.y = from[1];
    if (column + 2 < columns) quad.z = from[2];
    if (column + 3 < columns) quad.w = from[3];
    return quad;
}

// Whether rows of B and C begin at multiples of 16 bytes, and all steps are whole. Then the matrices are read in words of 16
// bytes without a guard: what the tile has beyond C is read from its last row or columns, and is not stored.
static __device__ __forceinline__ bool is_whole(int width, int height) {
    return width % 4 == 0 && height % kStep == 0;
}

template <bool kWhole>
static __device__ __forceinline__ float4 quad_of_a(const float* __restrict__ a, int row, int k, int height) {
    if (!kWhole) return quad_or_zero(a, row, k, height, height);
    return *reinterpret_cast<const float4*>(a + (size_t(min(row, height - 1)) * height + k));
}
template <bool kWhole>
static __device__ __forceinline__ float4 quad_of_b(const float* __restrict__ b, int k, int column, int width, int height) {
    if (!kWhole) return quad_or_zero(b, k, column, height, width);
    return *reinterpret_cast<const float4*>(b + (size_t(k) * width + min(column, width - 4)));
}

template <bool kWhole>
static __device__ __forceinline__ void store_quad(float* __restrict__ to, const float* from, int left) {
    if (kWhole) {
        if (left > 0) *reinterpret_cast<float4*>(to) = {from[0], from[1], from[2], from[3]};
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        if (i < left) to[i] = from[i];
    }
}

// The tile of C.
template <bool kWhole>
static __device__ __forceinline__ void store_sums(const Sums& sums, Place place, float* __restrict__ c, int left, int top,
                                                  int width, int height) {
#pragma unroll
    for (int i = 0; i < 4 * DOWN; ++i) {
        const int row = top + 4 * place.y + i / 4 * 4 * BLOCK_Y + i % 4;
        if (row >= height) continue;
#pragma unroll
        for (int j = 0; j < ACROSS; ++j) {
            const int column = left + 4 * place.x + j * 4 * BLOCK_X;
            store_quad<kWhole>(c + size_t(row) * width + column, &sums.of[i][4 * j], width - column);
        }
    }
}

// What a thread loads of the tiles of a step.
struct Share {
    static constexpr int kQuadsA = kTileRows * kStep / 4;
    static constexpr int kQuadsB = kStep * kTileColumns / 4;
    static constexpr int kOfThreadA = (kQuadsA + kThreads - 1) / kThreads;
    static constexpr int kOfThreadB = (kQuadsB + kThreads - 1) / kThreads;
    float4 a[kOfThreadA];
    float4 b[kOfThreadB];
};

template <bool kWhole>
static __device__ __forceinline__ void load_share(Share& share, const float* __restrict__ a, const float* __restrict__ b,
                                                  int thread, int left, int top, int first, int width, int height) {
#pragma unroll
    for (int i = 0; i < Share::kOfThreadA; ++i) {
        const int quad = thread + i * kThreads;
        if (Share::kQuadsA % kThreads == 0 || quad < Share::kQuadsA)
            share.a[i] = quad_of_a<kWhole>(a, top + quad / (kStep / 4), first + quad % (kStep / 4) * 4, height);
    }
#pragma unroll
    for (int i = 0; i < Share::kOfThreadB; ++i) {
        const int quad = thread + i * kThreads;
        if (Share::kQuadsB % kThreads == 0 || quad < Share::kQuadsB)
            share.b[i] = quad_of_b<kWhole>(b, first + quad / (kTileColumns / 4), left + quad % (kTileColumns / 4) * 4,
                                          width, height);
    }
}

static __device__ __forceinline__ void put_share(Tiles& tiles, const Share& share, int thread) {
#pragma unroll
    for (int i = 0; i < Share::kOfThreadA; ++i) {
        const int quad = thread + i * kThreads;
        if (Share::kQuadsA % kThreads != 0 && quad >= Share::kQuadsA) break;
        const int row = quad / (kStep / 4);
        const int k = quad % (kStep / 4) * 4;
        tiles.a[k][row] = share.a[i].x;
        tiles.a[k + 1][row] = share.a[i].y;
        tiles.a[k + 2][row] = share.a[i].z;
        tiles.a[k + 3][row] = share.a[i].w;
    }
#pragma unroll
    for (int i = 0; i < Share::kOfThreadB; ++i) {
        const int quad = thread + i * kThreads;
        if (Share::kQuadsB % kThreads != 0 && quad >= Share::kQuadsB) break;
        *reinterpret_cast<float4*>(&tiles.b[quad / (kTileColumns / 4)][quad % (kTileColumns / 4) * 4]) = share.b[i];
    }
}
