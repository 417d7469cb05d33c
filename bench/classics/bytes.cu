// Classics: bits, bytes and texts. Integers, tables and branches.

// The check sum of 32 words, a byte at a time with a table of 256 in shared memory; 256 threads.
extern "C" __global__ void crc_tables(unsigned* out, const unsigned* in, int n) {
    __shared__ unsigned table[256];
    unsigned entry = threadIdx.x;
    for (int k = 0; k < 8; ++k) entry = entry & 1 ? entry >> 1 ^ 0xedb88320u : entry >> 1;
    table[threadIdx.x] = entry;
    __syncthreads();
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    unsigned crc = 0xffffffffu;
    for (int k = 0; k < 32; ++k) {
        const unsigned word = in[(size_t)k * n + i];
        for (int byte = 0; byte < 4; ++byte) crc = table[(crc ^ word >> 8 * byte) & 255] ^ crc >> 8;
    }
    out[i] = ~crc;
}

// Without the table.
extern "C" __global__ void crc_bits(unsigned* out, const unsigned* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned crc = ~in[i];
#pragma unroll
    for (int k = 0; k < 32; ++k) crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
    out[i] = ~crc;
}

// A hash of 16 words, each multiplied and turned.
extern "C" __global__ void hash_words(unsigned* out, const unsigned* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned hash = 0x811c9dc5u;
    for (int k = 0; k < 16; ++k) {
        unsigned word = in[(size_t)k * n + i] * 0xcc9e2d51u;
        word = word << 15 | word >> 17;
        hash ^= word * 0x1b873593u;
        hash = (hash << 13 | hash >> 19) * 5 + 0xe6546b64u;
    }
    out[i] = hash;
}

extern "C" __global__ void count_bits(int* out, const uint4* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint4 v = in[i];
    out[i] = __popc(v.x) + __popc(v.y) + __popc(v.z) + __popc(v.w);
}

// A word's 32 bits as bytes; a warp for each word.
extern "C" __global__ void unpack_bits(unsigned char* out, const unsigned* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i / 32] >> i % 32 & 1;
}

// Where eight letters stand in a text.
extern "C" __global__ void find_text(unsigned char* out, const unsigned char* text, unsigned first, unsigned second, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned letters[2] = {first, second};
    bool same = i + 8 <= n;
    for (int k = 0; same && k < 8; ++k) same = text[i + k] == (letters[k / 4] >> 8 * (k % 4) & 255);
    out[i] = same;
}

// Ten rounds of look-ups as block ciphers make them: four tables of 256 words in shared memory, at places that the
// data decide; 256 threads.
extern "C" __global__ void cipher_tables(uint4* out, const uint4* in, const unsigned* tables, int n) {
    __shared__ unsigned t[4][256];
    for (int k = 0; k < 4; ++k) t[k][threadIdx.x] = tables[k * 256 + threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    uint4 s = in[i];
    for (unsigned round = 0; round < 10; ++round) {
        const uint4 old = s;
        s.x = t[0][old.x & 255] ^ t[1][old.y >> 8 & 255] ^ t[2][old.z >> 16 & 255] ^ t[3][old.w >> 24] ^ round;
        s.y = t[0][old.y & 255] ^ t[1][old.z >> 8 & 255] ^ t[2][old.w >> 16 & 255] ^ t[3][old.x >> 24] ^ round;
        s.z = t[0][old.z & 255] ^ t[1][old.w >> 8 & 255] ^ t[2][old.x >> 16 & 255] ^ t[3][old.y >> 24] ^ round;
        s.w = t[0][old.w & 255] ^ t[1][old.x >> 8 & 255] ^ t[2][old.y >> 16 & 255] ^ t[3][old.z >> 24] ^ round;
    }
    out[i] = s;
}

// Quarter rounds of additions, exclusive ors and turns.
extern "C" __global__ void cipher_turns(uint4* out, unsigned key, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = i;
    unsigned b = key;
    unsigned c = 0x61707865u;
    unsigned d = 0x3320646eu;
#pragma unroll 4
    for (int k = 0; k < 40; ++k) {
        a += b;
        d = __funnelshift_l(d ^ a, d ^ a, 16);
        c += d;
        b = __funnelshift_l(b ^ c, b ^ c, 12);
        a += b;
        d = __funnelshift_l(d ^ a, d ^ a, 8);
        c += d;
        b = __funnelshift_l(b ^ c, b ^ c, 7);
    }
    out[i] = make_uint4(a, b, c, d);
}

// Words of letters in capitals: bytes of a word at once.
extern "C" __global__ void capitals(unsigned* out, const unsigned* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned made = 0;
    for (int byte = 0; byte < 4; ++byte) {
        unsigned letter = in[i] >> 8 * byte & 255;
        if (letter >= 'a' && letter <= 'z') letter -= 32;
        made |= letter << 8 * byte;
    }
    out[i] = made;
}

// The greatest common divisor of two numbers.
extern "C" __global__ void common_divisor(unsigned* out, const unsigned* a, const unsigned* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned u = a[i];
    unsigned v = b[i];
    while (v != 0) {
        const unsigned rest = u % v;
        u = v;
        v = rest;
    }
    out[i] = u;
}

// Words of shared memory that so many lanes share a bank for, one after the other; 256 threads.
extern "C" __global__ void shared_conflicts(int* out, int stride, int rounds) {
    __shared__ int v[4096];
    for (int k = threadIdx.x; k < 4096; k += 256) v[k] = (k + stride * 32) % 4096;
    __syncthreads();
    int at = threadIdx.x * stride % 4096;
    for (int k = 0; k < rounds; ++k) at = v[at];
    out[blockIdx.x * 256 + threadIdx.x] = at;
}
