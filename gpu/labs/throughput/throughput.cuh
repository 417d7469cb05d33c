// What the kernels of this lab share and is not the lesson of any of them: an element's word and the numbers made of it, and
// the loop that takes CHAINS elements of a thread through the links of their chains side by side.
#pragma once

#ifndef BLOCK_X
#define BLOCK_X 256
#endif
#ifndef CHAINS
#define CHAINS 4
#endif
#ifndef EXACT
#define EXACT 0
#endif

// Of each element, whatever they are, so that times of different ones can be compared.
constexpr int kOperations = 256;

// Neighbours' words become numbers that have nothing to do with each other.
static __device__ unsigned mixed(unsigned word) {
    return word * 0x9E3779B9u;
}
// From 1 to 2.
[[maybe_unused]] static __device__ float fraction(unsigned word) {
    return __uint_as_float(0x3F800000u | mixed(word) >> 9);
}

// Lanes lie side by side. `Chain` is one element's: made of its word, with `link` and `result`; a link has kEach operations.
template <typename Chain, typename Result>
static __device__ void run(const unsigned* __restrict__ source, Result* __restrict__ target, int width, int height) {
    const unsigned count = unsigned(width) * height;
    const unsigned first = blockIdx.x * (CHAINS * BLOCK_X) + threadIdx.x;
    Chain chain[CHAINS];
#pragma unroll
    for (int i = 0; i < CHAINS; ++i) {
        const unsigned element = first + i * BLOCK_X;
        chain[i].begin(element < count ? source[element] : 0);
    }
#pragma unroll 32  // a loop has three instructions of its own
    for (int round = 0; round < kOperations / Chain::kEach; ++round) {
#pragma unroll
        for (int i = 0; i < CHAINS; ++i) chain[i].link();
    }
#pragma unroll
    for (int i = 0; i < CHAINS; ++i) {
        const unsigned element = first + i * BLOCK_X;
        if (element < count) target[element] = chain[i].result();
    }
}
