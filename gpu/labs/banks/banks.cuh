// What the kernels of this lab share and is not the lesson of any of them. All of them make every element the sum of the
// 32 of its group, so that each is read 32 times from shared memory and the pattern of those reads is what takes the time.
// A block takes BLOCK_X groups; each warp works on its own part of shared memory.
#pragma once

#ifndef BLOCK_X
#define BLOCK_X 64
#endif

constexpr int kGroup = 32;

// The warps of a block that have room in shared memory; threads beyond them have no work.
static constexpr __device__ int warps_with(int bytes_of_warp) {
    const int warps = BLOCK_X / 32;
    const int room = 48 * 1024 / bytes_of_warp;
    return warps < room ? warps : room;
}

// A group in one row of words: lane n puts its element into word `slot(n)` and reads word `slot(from(round))` in each
// of 32 rounds. Volatile: each read is one of 4 bytes, as it is written here, and none is kept in a register. The barriers
// are the block's, since GPUs before 3.0 have none for a warp; all threads go round equally often.
template <int kWarps, typename Slot, typename From>
static __device__ void sum_groups(const unsigned* __restrict__ source, unsigned* __restrict__ target, size_t count,
                                  volatile unsigned* words, Slot slot, From from) {
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    for (int first = 0; first < BLOCK_X; first += kWarps) {
        const bool works = warp < kWarps && first + warp < BLOCK_X;
        const size_t element = (size_t(blockIdx.x) * BLOCK_X + first + warp) * kGroup + lane;
        if (works) words[slot(lane)] = element < count ? source[element] : 0;
        __syncthreads();
        unsigned sum = 0;
        if (works) {
#pragma unroll
            for (int round = 0; round < kGroup; ++round) sum += words[slot(from(lane, round))];
        }
        __syncthreads();
        if (works && element < count) target[element] = sum;
    }
}

// 32 groups as a tile of 32 x 32: rows are read from global memory one after the other, lane n puts the element of row r
// into word `place(r, n)`; then each lane sums up a row of its own with `sum_of_row(lane)`, and the sums go out by rows.
template <int kWarps, typename Place, typename SumOfRow>
static __device__ void sum_tiles(const unsigned* __restrict__ source, unsigned* __restrict__ target, size_t count,
                                 volatile unsigned* words, Place place, SumOfRow sum_of_row) {
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    for (int first = 0; first < BLOCK_X; first += 32 * kWarps) {
        const int top = first + 32 * warp;
        const int rows = warp >= kWarps ? 0 : BLOCK_X - top < 32 ? BLOCK_X - top : 32;
        const size_t begin = (size_t(blockIdx.x) * BLOCK_X + top) * kGroup + lane;
#pragma unroll 8
        for (int row = 0; row < rows; ++row) {
            const size_t element = begin + row * kGroup;
            words[place(row, lane)] = element < count ? source[element] : 0;
        }
        __syncthreads();
        const unsigned sum = lane < rows ? sum_of_row(lane) : 0;
        __syncthreads();
        if (lane < rows) words[lane] = sum;
        __syncthreads();
#pragma unroll 8
        for (int row = 0; row < rows; ++row) {
            const size_t element = begin + row * kGroup;
            if (element < count) target[element] = words[row];
        }
        __syncthreads();
    }
}
