// Small kernels, one pattern of access each, whose counters are compared with those of a real GPU.
// Each takes the same arguments; `in` and `out` hold 4 MB, `n` is 1.

#define PATTERN(name) extern "C" __global__ void name(const unsigned char* in, unsigned char* out, int n)
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

// Reads `type` words at an offset and with a stride, writes one word.
#define READ(name, type, index)                                         \
    PATTERN(name) {                                                     \
        const int i = THREAD;                                           \
        ((type*)out)[i] = ((const type*)in)[index];                     \
        (void)n;                                                        \
    }
READ(offset_0, int, i)
READ(offset_1, int, i + 1)
READ(offset_7, int, i + 7)
READ(offset_8, int, i + 8)
READ(offset_31, int, i + 31)
READ(stride_2, int, i * 2)
READ(stride_3, int, i * 3)
READ(stride_4, int, i * 4)
READ(stride_8, int, i * 8)
READ(stride_32, int, i * 32)
READ(reversed, int, i ^ 31)
READ(one_word, int, i / 32)
READ(bytes_1, unsigned char, i)
READ(bytes_2, short, i)
READ(bytes_8, int2, i)
READ(bytes_16, int4, i)
READ(bytes_16_stride_2, int4, i * 2)
READ(bytes_8_offset_1, int2, i + 1)

// Shared memory with a stride between the lanes, in words.
#define SHARED(stride)                                      \
    PATTERN(shared_stride_##stride) {                       \
        __shared__ volatile int words[32 * 33 + 32];        \
        words[threadIdx.x * stride] = in[THREAD];           \
        __syncthreads();                                    \
        out[THREAD] = words[threadIdx.x * stride ^ (n - 1)]; \
    }
SHARED(1)
SHARED(2)
SHARED(3)
SHARED(4)
SHARED(5)
SHARED(8)
SHARED(16)
SHARED(17)
SHARED(32)
SHARED(33)

PATTERN(shared_broadcast) {
    __shared__ volatile int words[32];
    words[threadIdx.x] = in[THREAD];
    __syncthreads();
    out[THREAD] = words[n];
}
PATTERN(shared_pairs) {
    __shared__ volatile int words[32];
    words[threadIdx.x] = in[THREAD];
    __syncthreads();
    out[THREAD] = words[threadIdx.x / 2 ^ (n - 1)];
}
PATTERN(shared_bytes) {
    __shared__ volatile unsigned char bytes[64];
    bytes[threadIdx.x] = in[THREAD];
    __syncthreads();
    out[THREAD] = bytes[threadIdx.x ^ n];
}
PATTERN(shared_doubles) {
    __shared__ double words[64];
    words[threadIdx.x] = in[THREAD];
    __syncthreads();
    out[THREAD] = words[threadIdx.x ^ n];
}
PATTERN(shared_double_stride_2) {
    __shared__ double words[80];
    words[threadIdx.x * 2] = in[THREAD];
    __syncthreads();
    out[THREAD] = words[threadIdx.x * 2 ^ (n - 1)];
}
PATTERN(shared_float4) {
    __shared__ float4 words[64];
    words[threadIdx.x] = make_float4(in[THREAD], 1, 2, 3);
    __syncthreads();
    const float4 word = words[threadIdx.x ^ n];
    out[THREAD] = word.x + word.y + word.z + word.w;
}

// Wide words of shared memory: every word is written in order, then each lane reads `word`.
__device__ float sum(double word) { return float(word); }
__device__ float sum(float4 word) { return word.x + word.y + word.z + word.w; }
__device__ void make(double& word, int value) { word = value; }
__device__ void make(float4& word, int value) { word = make_float4(value, 1, 2, 3); }
#define WIDE_LOAD(name, type, word)                                                       \
    PATTERN(name) {                                                                       \
        __shared__ type words[128];                                                       \
        const int i = threadIdx.x;                                                        \
        for (int k = i; k < 128; k += blockDim.x) make(words[k], in[THREAD]);             \
        __syncthreads();                                                                  \
        out[THREAD] = sum(words[(word) ^ (n - 1)]);                                       \
    }
#define WIDE_LOADS(type, letter)                                                          \
    WIDE_LOAD(shared_##letter##_broadcast, type, n)                                       \
    WIDE_LOAD(shared_##letter##_pairs, type, i / 2)                                       \
    WIDE_LOAD(shared_##letter##_every_second, type, i & ~2)                               \
    WIDE_LOAD(shared_##letter##_mixed_pairs, type, i & 8 ? i / 2 : i & ~2)                \
    WIDE_LOAD(shared_##letter##_pairs_apart, type, i / 2 * 8)                             \
    WIDE_LOAD(shared_##letter##_same_halves, type, i % 16)                                \
    WIDE_LOAD(shared_##letter##_same_quarters, type, i % 8)                               \
    WIDE_LOAD(shared_##letter##_word_a_half, type, i / 16)                                \
    WIDE_LOAD(shared_##letter##_20_lanes, type, i)
WIDE_LOADS(double, double)
WIDE_LOADS(float4, float4)

// Stores and loads of wide words with a stride.
#define WIDE_STRIDE(name, type, stride)                                                   \
    PATTERN(name) {                                                                       \
        __shared__ type words[32 * stride];                                               \
        make(words[threadIdx.x * stride], in[THREAD]);                                    \
        __syncthreads();                                                                  \
        out[THREAD] = sum(words[threadIdx.x * stride ^ (n - 1)]);                         \
    }
WIDE_STRIDE(shared_double_stride_3, double, 3)
WIDE_STRIDE(shared_double_stride_16, double, 16)
WIDE_STRIDE(shared_float4_stride_2, float4, 2)
WIDE_STRIDE(shared_float4_stride_3, float4, 3)
WIDE_STRIDE(shared_float4_stride_8, float4, 8)

// The three transposes: 32 x 32 threads, a matrix of 128 x 128 floats.
#define SIDE 128
PATTERN(transpose_naive) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    ((float*)out)[x * SIDE + y] = ((const float*)in)[y * SIDE + x] * n;
}
#define TRANSPOSE(name, columns)                                                                        \
    PATTERN(name) {                                                                                     \
        __shared__ float tile[32][columns];                                                             \
        const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;                 \
        tile[threadIdx.y][threadIdx.x] = ((const float*)in)[y * SIDE + x];                              \
        __syncthreads();                                                                                \
        const int to_x = blockIdx.y * 32 + threadIdx.x, to_y = blockIdx.x * 32 + threadIdx.y;           \
        ((float*)out)[to_y * SIDE + to_x] = tile[threadIdx.x][threadIdx.y] * n;                         \
    }
TRANSPOSE(transpose_tile, 32)
TRANSPOSE(transpose_padded, 33)

// Lanes take different ways: one of 32, halves, every second.
#define DIVERGE(name, condition)                                       \
    PATTERN(name) {                                                    \
        const int i = THREAD;                                          \
        float value = ((const float*)in)[i];                           \
        if (condition) {                                               \
            for (int k = 0; k < 20 * n; ++k) value = value * 1.5f + k; \
        } else {                                                       \
            for (int k = 0; k < 20 * n; ++k) value = value * value + k; \
        }                                                              \
        ((float*)out)[i] = value;                                      \
    }
DIVERGE(diverge_one, threadIdx.x % 32 == 0)
DIVERGE(diverge_half, threadIdx.x % 32 < 16)
DIVERGE(diverge_alternate, threadIdx.x % 2 == 0)
DIVERGE(diverge_never, n > 0)
PATTERN(half_of_the_lanes) {
    const int i = THREAD;
    if (threadIdx.x % 2 == 0) {
        int value = ((const int*)in)[i];
        for (int k = 0; k < 40 * n; ++k) value = value * 3 + k;
        ((int*)out)[i] = value;
    }
}
