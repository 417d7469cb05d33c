// Matrix multiplication m8: asynchronous copies.
//
// Grew from m7. The tiles of the next STAGES - 1 steps are copied straight from global to shared memory (cp.async); no
// register holds them, and a thread goes on at once. Elements of A are copied one by one, to their turned place.
// Why it should win: loads are issued several steps ahead, without a register or a store for them.
// Counter to watch: registers per thread; instructions for a multiply-add; shared memory per block.
// Stops winning: where two steps are enough to hide the latency, more stages only take shared memory.

// knob: BLOCK_X = 16 in 8..16  threads of a block, beside each other
// knob: BLOCK_Y = 16 in 8..16  threads of a block, below each other
// knob: ACROSS = 2 in 1..3  columns of a thread, in fours
// knob: DOWN = 2 in 1..3  rows of a thread, in fours
// knob: KSTEP_LOG2 = 3 in 2..3  2 to the power of this: columns of A and rows of B in a tile
// knob: STAGES = 3 in 2..5  tiles of each matrix in shared memory
// knob: MIN_BLOCKS = 2 in 1..4  blocks of 256 threads that must fit on a multiprocessor
// elements per block: 4 * ACROSS * BLOCK_X x 4 * DOWN * BLOCK_Y
// needs compute capability: 8.0  asynchronous copies

#include "quads.cuh"

#ifndef STAGES
#define STAGES 3
#endif

// Where the element lies outside of the matrix nothing is read, and 0 arrives.
static __device__ __forceinline__ void copy_4(float* to, const float* from, bool inside) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(unsigned(__cvta_generic_to_shared(to))), "l"(from),
                 "r"(inside ? 4 : 0));
}
static __device__ __forceinline__ void copy_16(float* to, const float* from, bool inside) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(unsigned(__cvta_generic_to_shared(to))), "l"(from),
                 "r"(inside ? 16 : 0));
}
static __device__ __forceinline__ void end_group() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
// Until all but the latest STAGES - 2 groups of this thread have arrived.
static __device__ __forceinline__ void wait_for_group() {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
}

// Lanes take neighbouring elements of a row of A, a sector's worth. Threads beyond whole rows rest.
template <bool kWhole>
static __device__ __forceinline__ void copy_a(Tiles& tiles, const float* __restrict__ a, int thread, int top, int first,
                                              int height) {
    constexpr int kAtATime = kThreads / kStep;  // rows
    const int k = thread % kStep;
    const int begin = thread / kStep;
    if (kThreads % kStep != 0 && begin >= kAtATime) return;
    float* const to = &tiles.a[k][begin];
#pragma unroll
    for (int row = 0; row < kTileRows; row += kAtATime) {
        if (kTileRows % kAtATime != 0 && begin + row >= kTileRows) break;
        const unsigned place = unsigned(min(top + begin + row, height - 1)) * height + k;
        copy_4(to + row, a + first + place, kWhole || first + k < height);
    }
}

template <bool kWhole>
static __device__ __forceinline__ void copy_b(Tiles& tiles, const float* __restrict__ b, int thread, int left, int first,
                                              int width, int height) {
    constexpr int kEach = kWhole ? 4 : 1;
    constexpr int kAcross = kTileColumns / kEach;
    constexpr int kAll = kStep * kAcross;
#pragma unroll
    for (int done = 0; done < kAll; done += kThreads) {
        const int i = done + thread;
        if (kAll % kThreads != 0 && i >= kAll) break;
        const int k = i / kAcross;
        const int column = i % kAcross * kEach;
        const unsigned place = unsigned(k) * width + min(left + column, width - kEach);
        const float* from = b + size_t(first) * width + place;
        kWhole ? copy_16(&tiles.b[k][column], from, true) : copy_4(&tiles.b[k][column], from, first + k < height);
    }
}

template <bool kWhole>
static __device__ __forceinline__ void multiply_tiles(Tiles (&tiles)[STAGES], const float* __restrict__ a,
                                                      const float* __restrict__ b, float* __restrict__ c, int width,
                                                      int height) {
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);
    const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
    const Place place = place_of(thread);
    const int top = blockIdx.y * kTileRows;
    const int left = blockIdx.x * kTileColumns;
    // A group a step, even where nothing is left to copy: groups are counted.
    const auto copy_step = [&](int stage, int first) {
        if (first < height) {
            copy_a<kWhole>(tiles[stage], a, thread, top, first, height);
            copy_b<kWhole>(tiles[stage], b, thread, left, first, width, height);
        }
        end_group();
    };
    for (int stage = 0; stage < STAGES - 1; ++stage) copy_step(stage, stage * kStep);
    Sums sums{};
    int now = 0;
    int ahead = STAGES - 1;
    for (int first = 0; first < height; first += kStep) {
        wait_for_group();
        __syncthreads();
        // Into the tile that was multiplied last: all threads have passed the barrier behind that.
        copy_step(ahead, first + (STAGES - 1) * kStep);
        multiply(tiles[now], place, sums);
        now = now + 1 == STAGES ? 0 : now + 1;
        ahead = ahead + 1 == STAGES ? 0 : ahead + 1;
    }
    store_sums<kWhole>(sums, place, c, left, top, width, height);
}

extern "C" __global__ void LAUNCH_BOUNDS sgemm(const float* __restrict__ a, const float* __restrict__ b,
                                               float* __restrict__ c, int width, int height) {
    __shared__ Tiles tiles[STAGES];
    if (is_whole(width, height))
        multiply_tiles<true>(tiles, a, b, c, width, height);
    else
        multiply_tiles<false>(tiles, a, b, c, width, height);
}
