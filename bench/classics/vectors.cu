// Classics: whole vectors, element by element. Nearly all of them wait for device memory; the polynomials have arithmetic to do.

#define ELEMENT const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return

extern "C" __global__ void vector_add(float* c, const float* a, const float* b, int n) {
    ELEMENT;
    c[i] = a[i] + b[i];
}

extern "C" __global__ void saxpy_four(float4* y, const float4* x, float a, int n) {
    ELEMENT;
    float4 v = y[i];
    const float4 u = x[i];
    v.x += a * u.x;
    v.y += a * u.y;
    v.z += a * u.z;
    v.w += a * u.w;
    y[i] = v;
}

extern "C" __global__ void scale_doubles(double* y, const double* x, double a, int n) {
    ELEMENT;
    y[i] = a * x[i];
}

extern "C" __global__ void copy_bytes(unsigned char* y, const unsigned char* x, int n) {
    ELEMENT;
    y[i] = x[i];
}

extern "C" __global__ void copy_words(float* y, const float* x, int n) {
    ELEMENT;
    y[i] = x[i];
}

// Few blocks, each of which goes over the vector in steps of the whole grid.
extern "C" __global__ void triad_grid_stride(float* a, const float* b, const float* c, float s, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] = b[i] + s * c[i];
}

extern "C" __global__ void copy_strided(float* y, const float* x, int stride, int n) {
    ELEMENT;
    y[i] = x[(size_t)i * stride];
}

extern "C" __global__ void copy_shifted(float* y, const float* x, int n) {
    ELEMENT;
    y[i] = x[i + 1];
}

extern "C" __global__ void structures_to_arrays(float* x, float* y, float* z, const float* points, int n) {
    ELEMENT;
    x[i] = points[3 * i];
    y[i] = points[3 * i + 1];
    z[i] = points[3 * i + 2];
}

extern "C" __global__ void relu(float* y, const float* x, int n) {
    ELEMENT;
    y[i] = fmaxf(x[i], 0.0f);
}

extern "C" __global__ void complex_multiply(float2* c, const float2* a, const float2* b, int n) {
    ELEMENT;
    const float2 u = a[i];
    const float2 v = b[i];
    c[i] = make_float2(u.x * v.x - u.y * v.y, u.x * v.y + u.y * v.x);
}

// Horner's rule, 128 steps.
extern "C" __global__ void polynomial_floats(float* y, const float* x, int n) {
    ELEMENT;
    const float v = x[i];
    float sum = 1;
#pragma unroll 16
    for (int k = 0; k < 128; ++k) sum = sum * v + 0.5f;
    y[i] = sum;
}

extern "C" __global__ void polynomial_doubles(double* y, const double* x, int n) {
    ELEMENT;
    const double v = x[i];
    double sum = 1;
#pragma unroll 16
    for (int k = 0; k < 128; ++k) sum = sum * v + 0.5;
    y[i] = sum;
}

extern "C" __global__ void gelu(float* y, const float* x, int n) {
    ELEMENT;
    const float v = x[i];
    y[i] = 0.5f * v * (1 + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}

extern "C" __global__ void square_roots_doubles(double* y, const double* x, int n) {
    ELEMENT;
    y[i] = sqrt(x[i]) + 1 / (1 + x[i]);
}
