// Several GPUs: the image filters on one strip of a picture, whose neighbours' rows lie elsewhere.
//
// Grew from gray_c1, blur_g1 and edge_s1: the same pixels to the bit, but a row is looked up in three places: the
// strip's own memory, and the rows above and below it, copied from the neighbouring GPUs or read out of their memory.
// Why: each GPU then works on its share of the picture alone; only the halo, three rows for the blur and one for the
// edges, is needed from others.
// Counter to watch: the time against that of one GPU over the number of GPUs.
// Stops winning: halos and calls take the same time whatever the strip; of a low picture they are most of it.

// A stage's rows; those of the halo may lie in another GPU's memory.
struct Rows {
    const unsigned char* own;    // row `first` of the picture and the others of the strip
    const unsigned char* above;  // the `halo` rows before them
    const unsigned char* below;  // the `halo` rows behind them
    int width, height;           // of the whole picture
    int first, count, halo;
};

// A pixel outside the picture counts as 0. Compared as unsigned, a negative position is a large one: one test for both
// sides.
static __device__ int pixel_at(const Rows& rows, int x, int y) {
    if (unsigned(x) >= unsigned(rows.width) || unsigned(y) >= unsigned(rows.height)) return 0;
    const int row = y - rows.first;
    const unsigned char* from = row < 0             ? rows.above + (row + rows.halo) * rows.width
                                : row >= rows.count ? rows.below + (row - rows.count) * rows.width
                                                    : rows.own + row * rows.width;
    return from[x];
}

static __device__ int blurred_at(const Rows& rows, int x, int y) {
    int sum = 0;
#pragma unroll
    for (int row = -3; row <= 3; ++row) {
#pragma unroll
        for (int column = -3; column <= 3; ++column) {
            const int weight = (4 - abs(row)) * (4 - abs(column));
            sum += weight * pixel_at(rows, x + column, y + row);
        }
    }
    return sum / 256;
}

static __device__ int edge_at(const Rows& rows, int x, int y) {
    int gx = 0;
    int gy = 0;
#pragma unroll
    for (int i = -1; i <= 1; ++i) {
        const int weight = 2 - abs(i);
        gx += weight * (pixel_at(rows, x + 1, y + i) - pixel_at(rows, x - 1, y + i));
        gy += weight * (pixel_at(rows, x + i, y - 1) - pixel_at(rows, x + i, y + 1));
    }
    return min(255, int(sqrtf(float(gx * gx + gy * gy))));
}

extern "C" __global__ void __launch_bounds__(256) strip_gray(const uchar4* source, unsigned char* gray,
                                                             long long pixels) {
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += stride) {
        // Each operation rounds on its own: a fused multiply-add would change some pixels.
        const uchar4 pixel = source[i];
        const float red = __fmul_rn(0.299f, pixel.x);
        const float green = __fmul_rn(0.587f, pixel.y);
        const float blue = __fmul_rn(0.114f, pixel.z);
        gray[i] = min(255, int(__fadd_rn(__fadd_rn(red, green), blue)));
    }
}

// `out` has the rows from `out_first` on, `out_count` of them.
extern "C" __global__ void __launch_bounds__(256)
    strip_blur(const unsigned char* own, const unsigned char* above, const unsigned char* below, unsigned char* out,
               long long width, long long height, long long first, long long count, long long out_first,
               long long out_count) {
    const Rows rows{own, above, below, int(width), int(height), int(first), int(count), 3};
    const int stride = gridDim.x * blockDim.x;
    const int pixels = int(width * out_count);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += stride)
        out[i] = blurred_at(rows, i % rows.width, int(out_first) + i / rows.width);
}

extern "C" __global__ void __launch_bounds__(256)
    strip_edge(const unsigned char* own, const unsigned char* above, const unsigned char* below, unsigned char* out,
               long long width, long long height, long long first, long long count, long long out_first,
               long long out_count) {
    const Rows rows{own, above, below, int(width), int(height), int(first), int(count), 1};
    const int stride = gridDim.x * blockDim.x;
    const int pixels = int(width * out_count);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += stride)
        out[i] = edge_at(rows, i % rows.width, int(out_first) + i / rows.width);
}
