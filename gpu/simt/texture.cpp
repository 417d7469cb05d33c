#include "gpu/simt/texture.h"

#include <algorithm>
#include <cmath>

namespace ws::simt {
namespace {

int addressed(int at, int size, Texture::Address mode) {
    if (mode == Texture::Address::wrap) return ((at % size) + size) % size;
    if (mode == Texture::Address::border && (at < 0 || at >= size)) return -1;
    return std::clamp(at, 0, size - 1);
}

std::array<float, 4> texel(const Texture& texture, int x, int y) {
    std::array<float, 4> values{};
    x = addressed(x, texture.width, texture.address);
    y = addressed(y, texture.height, texture.address);
    if (x < 0 || y < 0) return values;
    const std::size_t at =
        (std::size_t(y) * std::size_t(texture.width) + std::size_t(x)) * std::size_t(texture.channels);
    for (std::size_t c = 0; c < std::size_t(texture.channels); ++c) {
        if (texture.bytes) {
            values[c] = float(std::to_integer<int>(texture.data[at + c]));
            if (texture.normalised_read) values[c] /= 255.0f;
        } else {
            values[c] = reinterpret_cast<const float*>(texture.data)[at + c];
        }
    }
    return values;
}

int whole(float value) {
    return int(std::clamp(std::floor(value), -1e9f, 1e9f));
}

}  // namespace

std::array<float, 4> sample(const Texture& texture, float x, float y) {
    if (texture.normalised_coordinates) {
        x *= float(texture.width);
        y *= float(texture.height);
    }
    if (!texture.linear) return texel(texture, whole(x), whole(y));
    // Linear filtering: the weights have 8 bits of fraction (CUDA C Programming Guide, texture fetching).
    const float left = std::floor(x - 0.5f);
    const float top = std::floor(y - 0.5f);
    const float alpha = std::round((x - 0.5f - left) * 256.0f) / 256.0f;
    const float beta = std::round((y - 0.5f - top) * 256.0f) / 256.0f;
    const int x0 = whole(left);
    const int y0 = whole(top);
    const std::array<float, 4> a = texel(texture, x0, y0);
    const std::array<float, 4> b = texel(texture, x0 + 1, y0);
    const std::array<float, 4> c = texel(texture, x0, y0 + 1);
    const std::array<float, 4> d = texel(texture, x0 + 1, y0 + 1);
    std::array<float, 4> values{};
    for (std::size_t i = 0; i < 4; ++i) {
        values[i] = (1 - alpha) * (1 - beta) * a[i] + alpha * (1 - beta) * b[i] + (1 - alpha) * beta * c[i] +
                    alpha * beta * d[i];
    }
    return values;
}

}  // namespace ws::simt
