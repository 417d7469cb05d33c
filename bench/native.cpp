// The native pipeline beside a plain copy of the source and beside OpenCV doing the same work, on all
// processors, from 0.1 to 100 Mpixel. Usage: bench_native [--json FILE]

#include <fmt/format.h>
#include <stb_image.h>
#include <stb_image_write.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "bench/figures.h"
#include "gpu/core/background.h"
#include "gpu/core/thread_pool.h"
#include "gpu/cpu/instruction_set.h"
#include "gpu/labs/filters/native.h"
#include "gpu/picture/picture_file.h"
#include "gpu/picture/test_picture.h"

#ifdef WARPSCOPE_OPENCV
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#endif

namespace ws {
namespace {

namespace native = filters::native;

constexpr Extent kSizes[] = {{360, 280},       {640, 480},   {1920, 1080},
                             kTestPictureSize, {8660, 5774}, {11584, 8640}};

// The compiler must not leave out what nobody reads.
void written(const void* memory) {
    __asm__ volatile("" : : "r"(memory) : "memory");
}

#ifdef WARPSCOPE_OPENCV
// The same work: gray, the same 7 x 7 filter, Sobel, magnitude, zeros outside.
Statistics opencv_ms(const RgbaImage& source) {
    const cv::Mat rgba(source.size.height, source.size.width, CV_8UC4,
                       const_cast<std::uint8_t*>(source.bytes.data()));
    const cv::Mat weights = (cv::Mat_<float>(1, 7) << 1, 2, 3, 4, 3, 2, 1) / 16;
    cv::Mat gray, blurred, gx, gy, magnitude, out;
    const auto run = [&] {
        cv::cvtColor(rgba, gray, cv::COLOR_RGBA2GRAY);
        cv::sepFilter2D(gray, blurred, CV_8U, weights, weights, cv::Point(-1, -1), 0, cv::BORDER_CONSTANT);
        cv::Sobel(blurred, gx, CV_32F, 1, 0, 3, 1, 0, cv::BORDER_CONSTANT);
        cv::Sobel(blurred, gy, CV_32F, 0, 1, 3, 1, 0, cv::BORDER_CONSTANT);
        cv::magnitude(gx, gy, magnitude);
        magnitude.convertTo(out, CV_8U);
        written(out.data);
    };
    return source.size.pixels() > 20'000'000 ? time_ms(run, 0, 3) : time_ms(run);
}
#endif

void bench(Extent size, Figures& figures) {
    const RgbaImage source = draw_test_picture(size);
    RgbaImage target = source;
    ThreadPool pool;
    GrayImage gray(size);
    GrayImage blurred(size);
    GrayImage out(size);
    const auto copy = time_ms([&] {
        std::memcpy(target.bytes.data(), source.bytes.data(), source.bytes.size());
        written(target.bytes.data());
    });
    const auto gray_ms = time_ms([&] { native::gray(pool, size, source.bytes.data(), gray.bytes.data()); });
    const auto blur_ms = time_ms([&] { native::blur(pool, size, gray.bytes.data(), blurred.bytes.data()); });
    const auto edge_ms = time_ms([&] { native::edge(pool, size, blurred.bytes.data(), out.bytes.data()); });
    const auto one_pass = time_ms([&] {
        native::one_pass(pool, size, source.bytes.data(), {.blur = true, .edge = true}, out.bytes.data());
    });
    Json row{{"width", size.width},     {"height", size.height},
             {"copy_ms", copy},         {"gray_ms", gray_ms},
             {"blur_ms", blur_ms},      {"edge_ms", edge_ms},
             {"one_pass_ms", one_pass}, {"times_the_copy", one_pass.median / copy.median}};
    fmt::print("{:>5} x {:<5} {:>8.3f} {:>8.3f} {:>8.3f} {:>8.3f} {:>9.3f} +- {:<6.3f} {:>6.2f} x copy",
               size.width, size.height, copy.median, gray_ms.median, blur_ms.median, edge_ms.median,
               one_pass.median, one_pass.spread(), one_pass.median / copy.median);
#ifdef WARPSCOPE_OPENCV
    const auto opencv = opencv_ms(source);
    row["opencv_ms"] = opencv;
    row["times_as_fast_as_opencv"] = opencv.median / one_pass.median;
    fmt::print("   OpenCV {:>9.3f}: {:.1f} x as fast", opencv.median, opencv.median / one_pass.median);
#endif
    fmt::print("\n");
    figures.add(std::move(row));
}

// Reading a photograph's file, beside the decoder alone.
void bench_decoding(Figures& figures) {
    const RgbaImage image = draw_test_picture(kTestPictureSize);
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / fmt::format("warpscope_bench_{}.jpg", ::getpid());
    if (!stbi_write_jpg(path.c_str(), image.size.width, image.size.height, 4, image.bytes.data(), 92))
        throw Error("the JPEG could not be written", path);
    const auto ours = time_ms([&] { written(read_picture(path).bytes.data()); }, 0, 9);
    const auto stb = time_ms(
        [&] {
            int width = 0;
            int height = 0;
            int channels = 0;
            stbi_uc* pixels = stbi_load(path.c_str(), &width, &height, &channels, 4);
            written(pixels);
            stbi_image_free(pixels);
        },
        0, 9);
    std::filesystem::remove(path);
    fmt::print("JPEG of 3648 x 2736: read_picture {:.1f} +- {:.1f} ms, stb_image alone {:.1f} +- {:.1f} ms\n",
               ours.median, ours.spread(), stb.median, stb.spread());
    figures.add({{"what", "JPEG of 3648 x 2736"}, {"read_picture_ms", ours}, {"stb_image_ms", stb}});
}

}  // namespace
}  // namespace ws

int main(int argc, char** argv) {
    return ws::bench_main("native", argc, argv, [](const std::vector<std::string>&, ws::Figures& figures) {
        figures.set("processors", ws::processors());
        figures.set("instruction_set", ws::instruction_set());
        fmt::print("native pipeline, {} threads, {}; milliseconds\n", ws::processors(),
                   ws::instruction_set());
        fmt::print("{:>13} {:>8} {:>8} {:>8} {:>8} {:>9}\n", "picture", "copy", "gray", "blur", "edge",
                   "one pass");
        for (const ws::Extent size : ws::kSizes) ws::bench(size, figures);
        ws::bench_decoding(figures);
        return 0;
    });
}
