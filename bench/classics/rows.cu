// Classics: rows of a matrix, as neural networks have them. A block of 256 threads takes a row.

__device__ float of_block(float v, bool largest) {
    __shared__ float part[8];
    for (int step = 16; step > 0; step /= 2) {
        const float other = __shfl_xor_sync(0xffffffff, v, step);
        v = largest ? fmaxf(v, other) : v + other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[0];
    for (int k = 1; k < 8; ++k) v = largest ? fmaxf(v, part[k]) : v + part[k];
    return v;
}

extern "C" __global__ void softmax_rows(float* out, const float* in, int width) {
    const float* row = in + (size_t)blockIdx.x * width;
    float* to = out + (size_t)blockIdx.x * width;
    float most = -1e30f;
    for (int x = threadIdx.x; x < width; x += 256) most = fmaxf(most, row[x]);
    most = of_block(most, true);
    float sum = 0;
    for (int x = threadIdx.x; x < width; x += 256) sum += __expf(row[x] - most);
    sum = of_block(sum, false);
    for (int x = threadIdx.x; x < width; x += 256) to[x] = __expf(row[x] - most) / sum;
}

extern "C" __global__ void layer_norm(float* out, const float* in, const float* scale, const float* shift, int width) {
    const float* row = in + (size_t)blockIdx.x * width;
    float* to = out + (size_t)blockIdx.x * width;
    float sum = 0;
    float squares = 0;
    for (int x = threadIdx.x; x < width; x += 256) {
        sum += row[x];
        squares += row[x] * row[x];
    }
    const float mean = of_block(sum, false) / width;
    const float spread = rsqrtf(of_block(squares, false) / width - mean * mean + 1e-5f);
    for (int x = threadIdx.x; x < width; x += 256) to[x] = (row[x] - mean) * spread * scale[x] + shift[x];
}

// The place of each row's largest value.
extern "C" __global__ void largest_of_rows(int* out, const float* in, int width) {
    const float* row = in + (size_t)blockIdx.x * width;
    float most = -1e30f;
    int place = 0;
    for (int x = threadIdx.x; x < width; x += 256) {
        if (row[x] > most) {
            most = row[x];
            place = x;
        }
    }
    const float best = of_block(most, true);
    if (threadIdx.x == 0) out[blockIdx.x] = -1;
    __syncthreads();
    if (most == best) atomicMax(&out[blockIdx.x], place);
}

// A thread for each row, which lies beside its neighbour's: all of it in one go, 64 values.
extern "C" __global__ void softmax_threads(float* out, const float* in, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float4* from = (const float4*)(in + (size_t)row * 64);
    float4* to = (float4*)(out + (size_t)row * 64);
    float sum = 0;
    for (int k = 0; k < 16; ++k) {
        const float4 v = from[k];
        sum += __expf(v.x) + __expf(v.y) + __expf(v.z) + __expf(v.w);
    }
    for (int k = 0; k < 16; ++k) {
        const float4 v = from[k];
        to[k] = make_float4(__expf(v.x) / sum, __expf(v.y) / sum, __expf(v.z) / sum, __expf(v.w) / sum);
    }
}

// Which of `count` centres is nearest to each point of four coordinates.
extern "C" __global__ void nearest_centre(int* out, const float4* points, const float4* centres, int count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 p = points[i];
    float best = 1e30f;
    int nearest = 0;
    for (int k = 0; k < count; ++k) {
        const float4 c = centres[k];
        const float dx = p.x - c.x;
        const float dy = p.y - c.y;
        const float dz = p.z - c.z;
        const float dw = p.w - c.w;
        const float far = dx * dx + dy * dy + dz * dz + dw * dw;
        if (far < best) {
            best = far;
            nearest = k;
        }
    }
    out[i] = nearest;
}

// Distances of all pairs of rows of 64, each read as it is.
extern "C" __global__ void pair_distances(float* out, const float* rows, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    float sum = 0;
    for (int k = 0; k < 64; ++k) {
        const float d = rows[x * 64 + k] - rows[y * 64 + k];
        sum += d * d;
    }
    out[y * n + x] = sqrtf(sum);
}
