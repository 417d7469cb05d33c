// What the kernels of this lab share and is not the lesson of any of them. Each element becomes the sum of its exclusive ors
// with the 32 words of a table, so that every thread reads the whole table, in an order of its own, and where the table lies
// is what takes the time.
#pragma once

#ifndef BLOCK_X
#define BLOCK_X 256
#endif
#ifndef DISTINCT
#define DISTINCT 1
#endif

constexpr int kWords = 32;

// The multiples of the golden ratio's bits, as fractions of 2 to the power of 32.
#define TABLE                                                                                                \
    0x9E3779B9u, 0x3C6EF372u, 0xDAA66D2Bu, 0x78DDE6E4u, 0x1715609Du, 0xB54CDA56u, 0x5384540Fu, 0xF1BBCDC8u,  \
    0x8FF34781u, 0x2E2AC13Au, 0xCC623AF3u, 0x6A99B4ACu, 0x08D12E65u, 0xA708A81Eu, 0x454021D7u, 0xE3779B90u,  \
    0x81AF1549u, 0x1FE68F02u, 0xBE1E08BBu, 0x5C558274u, 0xFA8CFC2Du, 0x98C475E6u, 0x36FBEF9Fu, 0xD5336958u,  \
    0x736AE311u, 0x11A25CCAu, 0xAFD9D683u, 0x4E11503Cu, 0xEC48C9F5u, 0x8A8043AEu, 0x28B7BD67u, 0xC6EF3720u

// The word that a thread reads in a round: DISTINCT different ones in a warp. Which is first depends on the block, so that
// the compiler does not know the address.
static __device__ __forceinline__ int word_of(int round) {
    return (round + blockIdx.x + threadIdx.x % 32 % DISTINCT) % kWords;
}

// `read(round)` is a word of the table; in 32 rounds each one comes once.
template <typename Read>
static __device__ __forceinline__ void sum_table(const unsigned* __restrict__ source, unsigned* __restrict__ target,
                                                 int width, int height, Read read) {
    const size_t element = size_t(blockIdx.x) * BLOCK_X + threadIdx.x;
    if (element >= size_t(width) * height) return;
    const unsigned number = source[element];
    unsigned sum = 0;
#pragma unroll
    for (int round = 0; round < kWords; ++round) sum += number ^ read(round);
    target[element] = sum;
}
