// The native pipeline beside a plain copy of the source and beside OpenCV doing the same work, on all
// processors. Wall-clock time; items are pixels per second.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstring>

#include "gpu/cpu/native.h"
#include "gpu/picture/test_picture.h"

#ifdef WARPSCOPE_OPENCV
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#endif

namespace ws {
namespace {

// 0.3, 2, 10 and 50 Mpixel.
constexpr Extent kSizes[] = {{640, 480}, {1920, 1080}, kTestPictureSize, {8660, 5774}};

const RgbaImage& picture(std::int64_t index) {
    static RgbaImage pictures[std::size(kSizes)];
    RgbaImage& image = pictures[index];
    if (image.bytes.empty()) image = draw_test_picture(kSizes[index]);
    return image;
}

void finish(benchmark::State& state, Extent size) {
    state.SetItemsProcessed(state.iterations() * std::int64_t(size.pixels()));
    state.SetLabel(std::to_string(size.width) + " x " + std::to_string(size.height));
}

void copy(benchmark::State& state) {
    const RgbaImage& source = picture(state.range(0));
    RgbaImage target = source;
    for (auto _ : state) {
        std::memcpy(target.bytes.data(), source.bytes.data(), source.bytes.size());
        benchmark::ClobberMemory();
    }
    finish(state, source.size);
}

template <typename Work>
void native_stage(benchmark::State& state, const Work& work) {
    const RgbaImage& source = picture(state.range(0));
    ThreadPool pool;
    GrayImage gray(source.size);
    GrayImage blurred(source.size);
    GrayImage out(source.size);
    native::gray(pool, source, gray.bytes.data());
    native::blur(pool, source.size, gray.bytes.data(), blurred.bytes.data());
    for (auto _ : state) {
        work(pool, source, gray, blurred, out);
        benchmark::ClobberMemory();
    }
    finish(state, source.size);
}

void native_gray(benchmark::State& state) {
    native_stage(state, [](ThreadPool& pool, const RgbaImage& source, GrayImage&, GrayImage&,
                           GrayImage& out) { native::gray(pool, source, out.bytes.data()); });
}
void native_blur(benchmark::State& state) {
    native_stage(state,
                 [](ThreadPool& pool, const RgbaImage& source, GrayImage& gray, GrayImage&, GrayImage& out) {
                     native::blur(pool, source.size, gray.bytes.data(), out.bytes.data());
                 });
}
void native_edge(benchmark::State& state) {
    native_stage(
        state, [](ThreadPool& pool, const RgbaImage& source, GrayImage&, GrayImage& blurred, GrayImage& out) {
            native::edge(pool, source.size, blurred.bytes.data(), out.bytes.data());
        });
}
void native_stages(benchmark::State& state) {
    native_stage(state, [](ThreadPool& pool, const RgbaImage& source, GrayImage& gray, GrayImage& blurred,
                           GrayImage& out) {
        native::gray(pool, source, gray.bytes.data());
        native::blur(pool, source.size, gray.bytes.data(), blurred.bytes.data());
        native::edge(pool, source.size, blurred.bytes.data(), out.bytes.data());
    });
}
void native_fused(benchmark::State& state) {
    native_stage(state,
                 [](ThreadPool& pool, const RgbaImage& source, GrayImage&, GrayImage&, GrayImage& out) {
                     native::fused(pool, source, View::edge, true, out.bytes.data());
                 });
}

#ifdef WARPSCOPE_OPENCV
// The same work: gray, the same 7 x 7 filter, Sobel, magnitude, zeros outside.
void opencv(benchmark::State& state) {
    const RgbaImage& source = picture(state.range(0));
    const cv::Mat rgba(source.size.height, source.size.width, CV_8UC4,
                       const_cast<std::uint8_t*>(source.bytes.data()));
    const cv::Mat weights = (cv::Mat_<float>(1, 7) << 1, 2, 3, 4, 3, 2, 1) / 16;
    cv::Mat gray, blurred, gx, gy, magnitude, out;
    for (auto _ : state) {
        cv::cvtColor(rgba, gray, cv::COLOR_RGBA2GRAY);
        cv::sepFilter2D(gray, blurred, CV_8U, weights, weights, cv::Point(-1, -1), 0, cv::BORDER_CONSTANT);
        cv::Sobel(blurred, gx, CV_32F, 1, 0, 3, 1, 0, cv::BORDER_CONSTANT);
        cv::Sobel(blurred, gy, CV_32F, 0, 1, 3, 1, 0, cv::BORDER_CONSTANT);
        cv::magnitude(gx, gy, magnitude);
        magnitude.convertTo(out, CV_8U);
        benchmark::ClobberMemory();
    }
    finish(state, source.size);
}
#endif

void sizes(benchmark::internal::Benchmark* bench) {
    bench->DenseRange(0, std::size(kSizes) - 1)->UseRealTime()->Unit(benchmark::kMillisecond)->MinTime(0.5);
}

BENCHMARK(copy)->Apply(sizes);
BENCHMARK(native_gray)->Apply(sizes);
BENCHMARK(native_blur)->Apply(sizes);
BENCHMARK(native_edge)->Apply(sizes);
BENCHMARK(native_stages)->Apply(sizes);
BENCHMARK(native_fused)->Apply(sizes);
#ifdef WARPSCOPE_OPENCV
BENCHMARK(opencv)->Apply(sizes);
#endif

}  // namespace
}  // namespace ws

BENCHMARK_MAIN();
