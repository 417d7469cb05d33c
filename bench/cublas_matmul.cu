// The product of two float32 matrices by NVIDIA's cuBLAS, without tensor cores: what the lab on matrix
// multiplication is held against. The same whole numbers, the same sizes, the median of as many samples.
// Build: nvcc -O3 -arch=native cublas_matmul.cu -lcublas -o cublas_matmul
// Usage: cublas_matmul [N ...]  (4096 without)

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(int status, const char* what) {
    if (status == 0) return;
    std::fprintf(stderr, "cublas_matmul: error: %s gave %d\n", what, status);
    std::exit(1);
}

static float* matrix_of(int n) {
    std::vector<float> host(size_t(n) * n);
    for (size_t i = 0; i < host.size(); ++i) host[i] = float(int((i * 2654435761u) >> 20 & 15) - 8);
    float* device = nullptr;
    check(cudaMalloc(&device, host.size() * sizeof(float)), "cudaMalloc");
    check(cudaMemcpy(device, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
    return device;
}

static void time_product(cublasHandle_t handle, int n) {
    constexpr int kSamples = 30, kLaunches = 4;
    float *a = matrix_of(n), *b = matrix_of(n), *c = matrix_of(n);
    const float one = 1, zero = 0;
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");
    std::vector<float> times;
    for (int sample = -3; sample < kSamples; ++sample) {
        check(cudaEventRecord(begin), "cudaEventRecord");
        for (int i = 0; i < kLaunches; ++i)
            check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, a, n, &zero, c, n),
                  "cublasSgemm");
        check(cudaEventRecord(end), "cudaEventRecord");
        check(cudaEventSynchronize(end), "cudaEventSynchronize");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
        if (sample >= 0) times.push_back(ms / kLaunches);
    }
    std::sort(times.begin(), times.end());
    const double ms = times[times.size() / 2];
    std::printf("cuBLAS %d x %d: %.4f ms, %.2f TFLOP/s\n", n, n, ms, 2.0 * n * n * n / ms / 1e9);
    for (float* matrix : {a, b, c}) check(cudaFree(matrix), "cudaFree");
}

int main(int count, char** arguments) {
    cublasHandle_t handle;
    check(cublasCreate(&handle), "cublasCreate");
    check(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH), "cublasSetMathMode");
    if (count < 2) time_product(handle, 4096);
    for (int i = 1; i < count; ++i) time_product(handle, std::atoi(arguments[i]));
}
