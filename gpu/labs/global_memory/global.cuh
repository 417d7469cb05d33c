// What the kernels of this lab share and is not the lesson of any of them: what a block copies, how a word is loaded, and
// the ways to count. A block takes EACH * BLOCK_X words, of which thread n has the words n, n + BLOCK_X, ...: EACH loads are
// under way at once, and lanes lie side by side unless the kernel says otherwise.
#pragma once

#ifndef BLOCK_X
#define BLOCK_X 256
#endif
#ifndef CACHED
#define CACHED 1
#endif

// Loads of a thread that are under way at once.
#define EACH 4

// The number of the thread's word, of EACH.
[[maybe_unused]] static __device__ unsigned word_of(int i) {
    return blockIdx.x * (EACH * BLOCK_X) + i * BLOCK_X + threadIdx.x;
}

// Through the first level of cache, or past it: GPUs of 2.x move lines of 128 bytes or sectors of 32.
template <typename Word>
static __device__ Word load(const Word* from) {
#if CACHED
    return *from;
#else
    return __ldcg(from);
#endif
}

// Copies the thread's words: each goes from the place that it has in the source to the same place of the target, and
// `place` says which that is.
template <typename Place>
static __device__ void copy_words(const float* __restrict__ source, float* __restrict__ target, unsigned count,
                                  Place place) {
    float word[EACH];
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        if (word_of(i) < count) word[i] = load(source + place(word_of(i)));
    }
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        if (word_of(i) < count) target[place(word_of(i))] = word[i];
    }
}
