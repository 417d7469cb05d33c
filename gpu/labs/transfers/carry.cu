// Transfers: words from one memory to another, wherever the two lie.
//
// Threads go through the words in strides of the whole grid, 16 bytes each; what is left over at the end is carried byte
// by byte by the first threads.
// Why it is there: with mapped memory of the host, or memory of another GPU, nothing is copied ahead; each access of
// the kernel goes over the link just when it is made.
// Counter to watch: effective bandwidth against the link's limit; 16-byte accesses are whole lines on the link.
// Stops winning: where a kernel reads the same bytes again, they travel again; one copy ahead is then cheaper.

extern "C" __global__ void carry(const unsigned char* __restrict__ from, unsigned char* __restrict__ to,
                                 unsigned long long bytes) {
    const unsigned long long words = bytes / 16;
    const unsigned long long first = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    const unsigned long long stride = gridDim.x * (unsigned long long)blockDim.x;

    // Whole words.
    const uint4* source = reinterpret_cast<const uint4*>(from);
    uint4* target = reinterpret_cast<uint4*>(to);
    for (unsigned long long i = first; i < words; i += stride) target[i] = source[i];

    // The rest.
    const unsigned long long rest = words * 16 + first;
    if (rest < bytes) to[rest] = from[rest];
}
