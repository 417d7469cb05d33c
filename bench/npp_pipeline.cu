// The same pipeline with NVIDIA's NPP library: gray, 7 x 7 Gauss, Sobel magnitude, widened to RGBA, eight pictures of
// 3648 x 2736 in turn. Its pictures differ from ours in rounding; its work is the same.
// Build: nvcc -O3 -arch=native npp_pipeline.cu -lnppicc -lnppif -lnppidei -lnppc -o npp_pipeline

#include <cuda_runtime.h>
#include <nppi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(int status, const char* what) {
    if (status == 0) return;
    std::fprintf(stderr, "npp_pipeline: error: %s gave %d\n", what, status);
    std::exit(1);
}

int main() {
    constexpr int kWidth = 3648, kHeight = 2736, kPictures = 8, kSamples = 30, kRounds = 4;
    const NppiSize size{kWidth, kHeight};
    const size_t pixels = size_t(kWidth) * kHeight;
    std::vector<unsigned char> host(pixels * 4);
    for (size_t i = 0; i < host.size(); ++i) host[i] = (unsigned char)((i * 2654435761u) >> 21);

    unsigned char *rgba[kPictures], *gray[kPictures], *blurred[kPictures], *bytes[kPictures], *out[kPictures];
    short* magnitude[kPictures];
    for (int i = 0; i < kPictures; ++i) {
        check(cudaMalloc(&rgba[i], pixels * 4), "cudaMalloc");
        check(cudaMalloc(&gray[i], pixels), "cudaMalloc");
        check(cudaMalloc(&blurred[i], pixels), "cudaMalloc");
        check(cudaMalloc(&bytes[i], pixels), "cudaMalloc");
        check(cudaMalloc(&magnitude[i], pixels * 2), "cudaMalloc");
        check(cudaMalloc(&out[i], pixels * 4), "cudaMalloc");
        check(cudaMemcpy(rgba[i], host.data(), pixels * 4, cudaMemcpyHostToDevice), "cudaMemcpy");
    }

    NppStreamContext context{};
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    context.nMultiProcessorCount = properties.multiProcessorCount;
    context.nMaxThreadsPerMultiProcessor = properties.maxThreadsPerMultiProcessor;
    context.nMaxThreadsPerBlock = properties.maxThreadsPerBlock;
    context.nSharedMemPerBlock = properties.sharedMemPerBlock;
    context.nCudaDevAttrComputeCapabilityMajor = properties.major;
    context.nCudaDevAttrComputeCapabilityMinor = properties.minor;

    const auto pipeline = [&](int i) {
        check(nppiRGBToGray_8u_AC4C1R_Ctx(rgba[i], kWidth * 4, gray[i], kWidth, size, context), "RGBToGray");
        check(nppiFilterGaussBorder_8u_C1R_Ctx(gray[i], kWidth, size, {0, 0}, blurred[i], kWidth, size, NPP_MASK_SIZE_7_X_7,
                                               NPP_BORDER_REPLICATE, context),
              "FilterGauss");
        check(nppiGradientVectorSobelBorder_8u16s_C1R_Ctx(blurred[i], kWidth, size, {0, 0}, nullptr, 0, nullptr, 0,
                                                          magnitude[i], kWidth * 2, nullptr, 0, size, NPP_MASK_SIZE_3_X_3,
                                                          nppiNormL2, NPP_BORDER_REPLICATE, context),
              "GradientVectorSobel");
        check(nppiConvert_16s8u_C1R_Ctx(magnitude[i], kWidth * 2, bytes[i], kWidth, size, context), "Convert");
        check(nppiDup_8u_C1C4R_Ctx(bytes[i], kWidth, out[i], kWidth * 4, size, context), "Dup");
    };
    for (int i = 0; i < 20 * kPictures; ++i) pipeline(i % kPictures);
    check(cudaDeviceSynchronize(), "warm-up");

    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");
    std::vector<float> samples;
    for (int sample = 0; sample < kSamples; ++sample) {
        check(cudaEventRecord(begin), "cudaEventRecord");
        for (int i = 0; i < kRounds * kPictures; ++i) pipeline(i % kPictures);
        check(cudaEventRecord(end), "cudaEventRecord");
        check(cudaEventSynchronize(end), "pipeline");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
        samples.push_back(1000 * ms / (kRounds * kPictures));
    }
    std::sort(samples.begin(), samples.end());
    std::printf("NPP pipeline: %.1f us (median of %d, middle half %.1f to %.1f)\n", samples[kSamples / 2], kSamples,
                samples[kSamples / 4], samples[3 * kSamples / 4]);
}
