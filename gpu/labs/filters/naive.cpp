#include "gpu/labs/filters/naive.h"

#include <algorithm>
#include <cmath>

namespace ws::filters::naive {
namespace {

// A pixel outside the picture counts as 0.
int pixel_at(const GrayImage& image, int x, int y) {
    if (x < 0 || x >= image.size.width || y < 0 || y >= image.size.height) return 0;
    return image.bytes[std::size_t(y) * std::size_t(image.size.width) + std::size_t(x)];
}

template <typename PixelOf>
GrayImage for_each_pixel(Extent size, PixelOf pixel_of) {
    GrayImage result(size);
    auto out = result.bytes.begin();
    for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) *out++ = std::uint8_t(pixel_of(x, y));
    }
    return result;
}

}  // namespace

GrayImage gray(const RgbaImage& source) {
    return for_each_pixel(source.size, [&](int x, int y) {
        const std::uint8_t* p =
            &source.bytes[4 * (std::size_t(y) * std::size_t(source.size.width) + std::size_t(x))];
        // volatile: each operation rounds to a float on its own, whatever the compiler would like to fuse.
        volatile float red = 0.299f * float(p[0]);
        volatile float green = 0.587f * float(p[1]);
        volatile float blue = 0.114f * float(p[2]);
        volatile float sum = red + green;
        sum = sum + blue;
        return std::min(255, int(sum));
    });
}

GrayImage blur(const GrayImage& source) {
    constexpr int kWeights[7] = {1, 2, 3, 4, 3, 2, 1};
    return for_each_pixel(source.size, [&](int x, int y) {
        int sum = 0;
        for (int row = 0; row < 7; ++row) {
            for (int column = 0; column < 7; ++column) {
                sum += kWeights[row] * kWeights[column] * pixel_at(source, x + column - 3, y + row - 3);
            }
        }
        return sum / 256;
    });
}

GrayImage edge(const GrayImage& source) {
    constexpr int kX[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    constexpr int kY[3][3] = {{1, 2, 1}, {0, 0, 0}, {-1, -2, -1}};
    return for_each_pixel(source.size, [&](int x, int y) {
        int gx = 0;
        int gy = 0;
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column) {
                const int pixel = pixel_at(source, x + column - 1, y + row - 1);
                gx += kX[row][column] * pixel;
                gy += kY[row][column] * pixel;
            }
        }
        return std::min(255, int(std::sqrt(double(gx * gx + gy * gy))));
    });
}

GrayImage picture(const RgbaImage& source, native::Filters filters) {
    GrayImage image = gray(source);
    if (filters.blur) image = blur(image);
    if (filters.edge) image = edge(image);
    return image;
}

}  // namespace ws::filters::naive
