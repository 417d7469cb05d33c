// Streams: rounds of a recurrence on every word, in place: x becomes 1664525 x + 1013904223.
//
// Threads go through the words in strides of the whole grid; each word takes as many rounds as the host asks for.
// Why it is there: the time of a kernel beside a copy of the same bytes is set by the number of rounds, and what comes
// out has a closed form, so that every word can be checked.
// Counter to watch: the time until the last piece is back, against the copies and the kernels alone.
// Stops winning: with few rounds the copies take longer than the kernel, and no order of the pieces hides them.

extern "C" __global__ void __launch_bounds__(1024) piecework(unsigned* words, unsigned long long count,
                                                             unsigned rounds) {
    const unsigned long long stride = gridDim.x * (unsigned long long)blockDim.x;
    for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < count; i += stride) {
        unsigned x = words[i];
        for (unsigned round = 0; round < rounds; ++round) x = x * 1664525u + 1013904223u;
        words[i] = x;
    }
}
