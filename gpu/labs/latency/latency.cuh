// What the kernels of this lab share and is not the lesson of any of them: the number of a thread's word, shared memory that
// only takes room, and the multiply-add that chains are made of.
#pragma once

#ifndef BLOCK_X
#define BLOCK_X 64
#endif
#ifndef SHARED_KIB
#define SHARED_KIB 0
#endif
#ifndef ILP
#define ILP 1
#endif
#ifndef UNROLL
#define UNROLL 1
#endif

// Links of a chain.
constexpr int kRounds = 128;

// The number of the block: a GPU before 3.0 has 65535 along x at most, and the others lie in further rows of the grid.
static __device__ unsigned block_of_line() {
    return blockIdx.y * gridDim.x + blockIdx.x;
}

// The number of the thread's word or chain, of `each` that it has: lanes lie side by side.
template <int kEach>
static __device__ unsigned element_of(int i) {
    return block_of_line() * (kEach * BLOCK_X) + i * BLOCK_X + threadIdx.x;
}

// SHARED_KIB of shared memory for the block, so that fewer blocks fit on a multiprocessor. The write never happens (no work
// has a negative width), but the compiler cannot know, and has to leave the memory there.
static __device__ void take_shared(int width) {
#if SHARED_KIB > 0
    __shared__ unsigned ballast[SHARED_KIB * 256];
    if (width < 0) *const_cast<volatile unsigned*>(ballast + threadIdx.x) = 0;
#endif
}

// The next link: rounded once, so that every GPU and the CPU get the same bits.
static __device__ float next(float value) {
    return fmaf(value, 1.0009765625f, 1.0f);
}
