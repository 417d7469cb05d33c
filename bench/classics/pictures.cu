// Classics: pictures, as every course has them.

#define PIXEL                                            \
    const int x = blockIdx.x * blockDim.x + threadIdx.x; \
    const int y = blockIdx.y * blockDim.y + threadIdx.y; \
    if (x >= width || y >= height) return;               \
    const int i = y * width + x

__device__ int inside(int value, int size) { return min(max(value, 0), size - 1); }

extern "C" __global__ void gray_of_rgba(unsigned char* out, const uchar4* in, int width, int height) {
    PIXEL;
    const uchar4 p = in[i];
    out[i] = 0.299f * p.x + 0.587f * p.y + 0.114f * p.z;
}

// Three bytes a pixel, one after the other.
extern "C" __global__ void gray_of_rgb(unsigned char* out, const unsigned char* in, int width, int height) {
    PIXEL;
    out[i] = 0.299f * in[3 * i] + 0.587f * in[3 * i + 1] + 0.114f * in[3 * i + 2];
}

extern "C" __global__ void sepia(uchar4* out, const uchar4* in, int width, int height) {
    PIXEL;
    const uchar4 p = in[i];
    const float r = 0.393f * p.x + 0.769f * p.y + 0.189f * p.z;
    const float g = 0.349f * p.x + 0.686f * p.y + 0.168f * p.z;
    const float b = 0.272f * p.x + 0.534f * p.y + 0.131f * p.z;
    out[i] = make_uchar4(fminf(r, 255), fminf(g, 255), fminf(b, 255), p.w);
}

extern "C" __global__ void threshold(unsigned char* out, const unsigned char* in, int limit, int width, int height) {
    PIXEL;
    out[i] = in[i] > limit ? 255 : 0;
}

extern "C" __global__ void gamma_curve(uchar4* out, const uchar4* in, float gamma, int width, int height) {
    PIXEL;
    const uchar4 p = in[i];
    out[i] = make_uchar4(255 * powf(p.x / 255.0f, gamma), 255 * powf(p.y / 255.0f, gamma), 255 * powf(p.z / 255.0f, gamma), p.w);
}

extern "C" __global__ void sobel(unsigned char* out, const unsigned char* in, int width, int height) {
    PIXEL;
    int v[3][3];
    for (int dy = 0; dy < 3; ++dy)
        for (int dx = 0; dx < 3; ++dx) v[dy][dx] = in[inside(y + dy - 1, height) * width + inside(x + dx - 1, width)];
    const int across = v[0][2] + 2 * v[1][2] + v[2][2] - v[0][0] - 2 * v[1][0] - v[2][0];
    const int down = v[2][0] + 2 * v[2][1] + v[2][2] - v[0][0] - 2 * v[0][1] - v[0][2];
    out[i] = min(255.0f, sqrtf(float(across * across + down * down)));
}

extern "C" __global__ void box_filter(float* out, const float* in, int radius, int width, int height) {
    PIXEL;
    float sum = 0;
    for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx) sum += in[inside(y + dy, height) * width + inside(x + dx, width)];
    out[i] = sum / ((2 * radius + 1) * (2 * radius + 1));
}

__device__ void order(int& a, int& b) {
    const int low = min(a, b);
    b = max(a, b);
    a = low;
}

// The middle of nine values, by a network of comparisons.
extern "C" __global__ void median(unsigned char* out, const unsigned char* in, int width, int height) {
    PIXEL;
    int v[9];
    for (int k = 0; k < 9; ++k) v[k] = in[inside(y + k / 3 - 1, height) * width + inside(x + k % 3 - 1, width)];
    for (int row = 0; row < 9; row += 3) {
        order(v[row], v[row + 1]);
        order(v[row + 1], v[row + 2]);
        order(v[row], v[row + 1]);
    }
    const int low = max(max(v[0], v[3]), v[6]);
    const int high = min(min(v[2], v[5]), v[8]);
    order(v[1], v[4]);
    order(v[4], v[7]);
    order(v[1], v[4]);
    int a = low;
    int b = v[4];
    int c = high;
    order(a, b);
    order(b, c);
    order(a, b);
    out[i] = b;
}

// Neighbours that look alike count more.
extern "C" __global__ void bilateral(float* out, const float* in, int width, int height) {
    PIXEL;
    const float self = in[i];
    float sum = 0;
    float weights = 0;
    for (int dy = -2; dy <= 2; ++dy) {
        for (int dx = -2; dx <= 2; ++dx) {
            const float v = in[inside(y + dy, height) * width + inside(x + dx, width)];
            const float w = __expf(-0.1f * (dx * dx + dy * dy) - 8 * (v - self) * (v - self));
            sum += w * v;
            weights += w;
        }
    }
    out[i] = sum / weights;
}

__constant__ float weights[17] = {0.01f, 0.02f, 0.03f, 0.04f, 0.06f, 0.08f, 0.09f, 0.11f, 0.12f,
                                  0.11f, 0.09f, 0.08f, 0.06f, 0.04f, 0.03f, 0.02f, 0.01f};

// Seventeen weights along the row, through shared memory; blocks of 128 x 2.
extern "C" __global__ void convolve_rows(float* out, const float* in, int width, int height) {
    __shared__ float tile[2][144];
    const int x0 = blockIdx.x * 128;
    const int y = blockIdx.y * 2 + threadIdx.y;
    for (int k = threadIdx.x; k < 144; k += 128) tile[threadIdx.y][k] = in[inside(y, height) * width + inside(x0 + k - 8, width)];
    __syncthreads();
    const int x = x0 + threadIdx.x;
    if (x >= width || y >= height) return;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 17; ++k) sum += weights[k] * tile[threadIdx.y][threadIdx.x + k];
    out[y * width + x] = sum;
}

// The same down the column, straight from global memory.
extern "C" __global__ void convolve_columns(float* out, const float* in, int width, int height) {
    PIXEL;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 17; ++k) sum += weights[k] * in[inside(y + k - 8, height) * width + x];
    out[i] = sum;
}

// To half of the width and height, from between four pixels.
extern "C" __global__ void halve(float* out, const float* in, int width, int height, int in_width) {
    PIXEL;
    const float2 top = make_float2(in[2 * y * in_width + 2 * x], in[2 * y * in_width + 2 * x + 1]);
    const float2 low = make_float2(in[(2 * y + 1) * in_width + 2 * x], in[(2 * y + 1) * in_width + 2 * x + 1]);
    out[i] = 0.25f * (top.x + top.y + low.x + low.y);
}

// Turned about the middle, from between four pixels.
extern "C" __global__ void rotate_picture(float* out, const float* in, float cosine, float sine, int width, int height) {
    PIXEL;
    const float cx = x - 0.5f * width;
    const float cy = y - 0.5f * height;
    const float u = cosine * cx - sine * cy + 0.5f * width;
    const float v = sine * cx + cosine * cy + 0.5f * height;
    const int x0 = int(floorf(u));
    const int y0 = int(floorf(v));
    const float fx = u - x0;
    const float fy = v - y0;
    const float* row = in + inside(y0, height) * width;
    const float* next = in + inside(y0 + 1, height) * width;
    const int left = inside(x0, width);
    const int right = inside(x0 + 1, width);
    out[i] = (1 - fy) * ((1 - fx) * row[left] + fx * row[right]) + fy * ((1 - fx) * next[left] + fx * next[right]);
}
