// Classics: transforms of signals.

// One step of a Fourier transform, radix 2: sums and differences of values half a block apart, turned.
extern "C" __global__ void fourier_step(float2* out, const float2* in, int half, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 2) return;
    const int k = i % half;
    const int low = (i - k) * 2 + k;
    if (low + half >= n) return;
    float sine;
    float cosine;
    __sincosf(-3.14159265f * k / half, &sine, &cosine);
    const float2 a = in[low];
    const float2 b = in[low + half];
    const float2 turned = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
    out[low] = make_float2(a.x + turned.x, a.y + turned.y);
    out[low + half] = make_float2(a.x - turned.x, a.y - turned.y);
}

// The sum as it is written, for so many values a frequency.
extern "C" __global__ void fourier_sums(float2* out, const float* in, int count, int n) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    float2 sum = make_float2(0, 0);
    for (int i = 0; i < count; ++i) {
        const float angle = -6.2831853f * (k * i % count) / count;
        sum.x += in[i] * __cosf(angle);
        sum.y += in[i] * __sinf(angle);
    }
    out[k] = sum;
}

// A block of 256 threads transforms 512 values in shared memory, nine rounds.
extern "C" __global__ void walsh_hadamard(float* out, const float* in, int n) {
    __shared__ float v[512];
    const int t = threadIdx.x;
    const int first = blockIdx.x * 512;
    for (int k = t; k < 512; k += 256) v[k] = first + k < n ? in[first + k] : 0;
    for (int half = 1; half < 512; half *= 2) {
        __syncthreads();
        const int low = (t - t % half) * 2 + t % half;
        const float a = v[low];
        const float b = v[low + half];
        v[low] = a + b;
        v[low + half] = a - b;
    }
    __syncthreads();
    for (int k = t; k < 512; k += 256)
        if (first + k < n) out[first + k] = v[k];
}

// Means and differences of neighbours.
extern "C" __global__ void haar_step(float* means, float* details, const float2* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 v = in[i];
    means[i] = 0.70710678f * (v.x + v.y);
    details[i] = 0.70710678f * (v.x - v.y);
}

__constant__ float cosines[8][8] = {{0.3536f, 0.3536f, 0.3536f, 0.3536f, 0.3536f, 0.3536f, 0.3536f, 0.3536f},
                                    {0.4904f, 0.4157f, 0.2778f, 0.0975f, -0.0975f, -0.2778f, -0.4157f, -0.4904f},
                                    {0.4619f, 0.1913f, -0.1913f, -0.4619f, -0.4619f, -0.1913f, 0.1913f, 0.4619f},
                                    {0.4157f, -0.0975f, -0.4904f, -0.2778f, 0.2778f, 0.4904f, 0.0975f, -0.4157f},
                                    {0.3536f, -0.3536f, -0.3536f, 0.3536f, 0.3536f, -0.3536f, -0.3536f, 0.3536f},
                                    {0.2778f, -0.4904f, 0.0975f, 0.4157f, -0.4157f, -0.0975f, 0.4904f, -0.2778f},
                                    {0.1913f, -0.4619f, 0.4619f, -0.1913f, -0.1913f, 0.4619f, -0.4619f, 0.1913f},
                                    {0.0975f, -0.2778f, 0.4157f, -0.4904f, 0.4904f, -0.4157f, 0.2778f, -0.0975f}};

// Squares of 8 x 8 pixels, as pictures are packed; a block of 64 threads for each.
extern "C" __global__ void cosine_squares(float* out, const float* in, int width, int height) {
    __shared__ float square[8][9];
    __shared__ float rows[8][9];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int x = blockIdx.x * 8 + tx;
    const int y = blockIdx.y * 8 + ty;
    square[ty][tx] = in[min(y, height - 1) * width + min(x, width - 1)];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += cosines[tx][k] * square[ty][k];
    rows[ty][tx] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; ++k) sum += cosines[ty][k] * rows[k][tx];
    if (x < width && y < height) out[y * width + x] = sum;
}

// A filter of 32 taps over a signal, its taps in global memory.
extern "C" __global__ void signal_filter(float* out, const float* in, const float* taps, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < 32; ++k) sum += taps[k] * in[i + k];
    out[i] = sum;
}
