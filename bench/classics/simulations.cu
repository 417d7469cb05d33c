// Classics: physics, chance and finance. Arithmetic decides, and in some how long each lane takes.

// Forces of `count` bodies on each of n, which come through shared memory; 256 threads.
extern "C" __global__ void bodies_tiles(float4* forces, const float4* bodies, int count, int n) {
    __shared__ float4 tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float4 self = bodies[min(i, n - 1)];
    float3 sum = make_float3(0, 0, 0);
    for (int first = 0; first < count; first += 256) {
        tile[threadIdx.x] = bodies[min(first + threadIdx.x, n - 1)];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; ++k) {
            const float4 other = tile[k];
            const float dx = other.x - self.x;
            const float dy = other.y - self.y;
            const float dz = other.z - self.z;
            const float near = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            const float pull = other.w * near * near * near;
            sum.x += pull * dx;
            sum.y += pull * dy;
            sum.z += pull * dz;
        }
        __syncthreads();
    }
    if (i < n) forces[i] = make_float4(sum.x, sum.y, sum.z, 0);
}

// The same straight from global memory: all lanes read one body.
extern "C" __global__ void bodies_plain(float4* forces, const float4* bodies, int count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 self = bodies[i];
    float3 sum = make_float3(0, 0, 0);
    for (int k = 0; k < count; ++k) {
        const float4 other = bodies[k];
        const float dx = other.x - self.x;
        const float dy = other.y - self.y;
        const float dz = other.z - self.z;
        const float square = dx * dx + dy * dy + dz * dz + 0.01f;
        const float pull = other.w / (square * sqrtf(square));
        sum.x += pull * dx;
        sum.y += pull * dy;
        sum.z += pull * dz;
    }
    forces[i] = make_float4(sum.x, sum.y, sum.z, 0);
}

__device__ int rounds_of(float zx, float zy, float cx, float cy, int most) {
    int rounds = 0;
    while (rounds < most && zx * zx + zy * zy < 4) {
        const float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        ++rounds;
    }
    return rounds;
}

extern "C" __global__ void mandelbrot(unsigned short* out, int most, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = rounds_of(0, 0, 3.0f * x / width - 2.2f, 2.4f * y / height - 1.2f, most);
}

extern "C" __global__ void julia(unsigned short* out, int most, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = rounds_of(3.0f * x / width - 1.5f, 2.4f * y / height - 1.2f, -0.4f, 0.6f, most);
}

__device__ unsigned next_random(unsigned& state) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

// How many of a thread's points lie in the circle.
extern "C" __global__ void pi_by_chance(int* hits, int points, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned state = 2654435769u * (i + 1);
    int inside = 0;
    for (int k = 0; k < points; ++k) {
        const float x = next_random(state) * 2.3283064e-10f;
        const float y = next_random(state) * 2.3283064e-10f;
        inside += x * x + y * y < 1;
    }
    hits[i] = inside;
}

extern "C" __global__ void random_words(unsigned* out, unsigned seed, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned high = i;
    unsigned low = seed;
    unsigned key = 0x9e3779b9u;
    for (int k = 0; k < 10; ++k) {
        const unsigned top = __umulhi(high, 0xd256d193u);
        const unsigned bottom = high * 0xd256d193u;
        high = top ^ key ^ low;
        low = bottom;
        key += 0x9e3779b9u;
    }
    out[i] = high;
}

__device__ float below_normal(float d) {
    const float k = 1 / (1 + 0.2316419f * fabsf(d));
    const float p = 0.39894228f * expf(-0.5f * d * d) *
                    (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - p : p;
}

extern "C" __global__ void black_scholes(float* calls, float* puts, const float* prices, const float* strikes, const float* years, float rate,
                                         float volatility, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float price = 5 + 25 * prices[i];
    const float strike = 1 + 99 * strikes[i];
    const float time = 0.25f + 9.75f * years[i];
    const float root = sqrtf(time);
    const float d1 = (logf(price / strike) + (rate + 0.5f * volatility * volatility) * time) / (volatility * root);
    const float d2 = d1 - volatility * root;
    const float now = strike * expf(-rate * time);
    calls[i] = price * below_normal(d1) - now * below_normal(d2);
    puts[i] = now * below_normal(-d2) - price * below_normal(-d1);
}

// Prices of an option at the end of a path of chance, with normal numbers by Box and Muller.
extern "C" __global__ void price_paths(float* out, int steps, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned state = 747796405u * (i + 1);
    float price = 100;
    for (int k = 0; k < steps; ++k) {
        const float u = (next_random(state) + 1.0f) * 2.3283064e-10f;
        const float v = next_random(state) * 2.3283064e-10f;
        price *= 1 + 0.01f * sqrtf(-2 * logf(u)) * cosf(6.2831853f * v);
    }
    out[i] = fmaxf(price - 100, 0);
}

// A ray for each pixel against 16 balls in constant places.
extern "C" __global__ void ray_balls(float* out, const float4* balls, int count, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float u = float(x) / width;
    const float v = float(y) / height;
    float nearest = 1e9f;
    for (int k = 0; k < count; ++k) {
        const float4 ball = balls[k];
        const float dx = ball.x - u;
        const float dy = ball.y - v;
        const float rest = 0.02f * ball.w - dx * dx - dy * dy;
        if (rest > 0) nearest = fminf(nearest, ball.z - sqrtf(rest));
    }
    out[y * width + x] = nearest;
}

// How many steps the sequence of a number takes to one.
extern "C" __global__ void collatz(int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long v = i + 1;
    int steps = 0;
    while (v != 1) {
        v = v % 2 ? 3 * v + 1 : v / 2;
        ++steps;
    }
    out[i] = steps;
}
