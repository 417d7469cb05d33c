// Classics: each point from its neighbours. Borders keep their values.

extern "C" __global__ void stencil_three(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float left = in[max(i - 1, 0)];
    const float right = in[min(i + 1, n - 1)];
    out[i] = 0.25f * left + 0.5f * in[i] + 0.25f * right;
}

// Seven points through a tile in shared memory, 256 threads.
extern "C" __global__ void stencil_seven_shared(float* out, const float* in, int n) {
    __shared__ float tile[262];
    const int t = threadIdx.x;
    const int first = blockIdx.x * 256;
    for (int k = t; k < 262; k += 256) tile[k] = in[min(max(first + k - 3, 0), n - 1)];
    __syncthreads();
    if (first + t >= n) return;
    float sum = 0;
    for (int k = 0; k < 7; ++k) sum += tile[t + k];
    out[first + t] = sum / 7;
}

#define POINT                                              \
    const int x = blockIdx.x * blockDim.x + threadIdx.x;   \
    const int y = blockIdx.y * blockDim.y + threadIdx.y;   \
    if (x >= width || y >= height) return;                 \
    const int i = y * width + x;                           \
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) { \
        out[i] = in[i];                                    \
        return;                                            \
    }

extern "C" __global__ void heat_floats(float* out, const float* in, float k, int width, int height) {
    POINT
    out[i] = in[i] + k * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - 4 * in[i]);
}

extern "C" __global__ void heat_doubles(double* out, const double* in, double k, int width, int height) {
    POINT
    out[i] = in[i] + k * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - 4 * in[i]);
}

// A step of a wave: the point before, too.
extern "C" __global__ void wave_step(float* out, const float* in, const float* before, float k, int width, int height) {
    POINT
    const float bend = in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - 4 * in[i];
    out[i] = 2 * in[i] - before[i] + k * bend;
}

// Nine points through a tile of 34 x 10, blocks of 32 x 8.
extern "C" __global__ void stencil_nine_shared(float* out, const float* in, int width, int height) {
    __shared__ float tile[10][34];
    const int x0 = blockIdx.x * 32 - 1;
    const int y0 = blockIdx.y * 8 - 1;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 340; k += 256) {
        const int x = min(max(x0 + k % 34, 0), width - 1);
        const int y = min(max(y0 + k / 34, 0), height - 1);
        tile[k / 34][k % 34] = in[y * width + x];
    }
    __syncthreads();
    const int x = x0 + 1 + threadIdx.x;
    const int y = y0 + 1 + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int dy = 0; dy < 3; ++dy)
        for (int dx = 0; dx < 3; ++dx) sum += tile[threadIdx.y + dy][threadIdx.x + dx];
    out[y * width + x] = sum / 9;
}

// A thread goes up a column of a room of `depth` floors, its neighbours above and below in registers.
extern "C" __global__ void stencil_room(float* out, const float* in, int width, int height, int depth) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    const int floor = width * height;
    int i = y * width + x + floor;
    float below = in[i - floor];
    float here = in[i];
    for (int z = 1; z < depth - 1; ++z, i += floor) {
        const float above = in[i + floor];
        out[i] = 0.4f * here + 0.1f * (below + above + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
        below = here;
        here = above;
    }
}

// Conway's game of life on bytes.
extern "C" __global__ void game_of_life(unsigned char* out, const unsigned char* in, int width, int height) {
    POINT
    int alive = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) alive += in[i + dy * width + dx] & 1;
    const int self = in[i] & 1;
    out[i] = alive == 3 || (alive == 4 && self);
}
