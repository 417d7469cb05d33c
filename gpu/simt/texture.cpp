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

int whole(float value) {
    return int(std::clamp(std::floor(value), -1e9f, 1e9f));
}

// Between the texels before and behind a coordinate. The weight of the second has 8 bits of fraction (CUDA C
// Programming Guide, texture fetching).
struct Between {
    int first = 0;
    float weight = 0;

    explicit Between(float coordinate) : first(whole(coordinate - 0.5f)) {
        weight = std::round((coordinate - 0.5f - std::floor(coordinate - 0.5f)) * 256.0f) / 256.0f;
    }
};

}  // namespace

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

std::array<float, 4> sample(const Texture& texture, float x) {
    if (texture.normalised_coordinates) x *= float(texture.width);
    if (!texture.linear) return texel(texture, whole(x), 0);
    const Between across(x);
    const std::array<float, 4> a = texel(texture, across.first, 0);
    const std::array<float, 4> b = texel(texture, across.first + 1, 0);
    std::array<float, 4> values{};
    for (std::size_t i = 0; i < 4; ++i) values[i] = (1 - across.weight) * a[i] + across.weight * b[i];
    return values;
}

std::array<float, 4> sample(const Texture& texture, float x, float y) {
    if (texture.normalised_coordinates) {
        x *= float(texture.width);
        y *= float(texture.height);
    }
    if (!texture.linear) return texel(texture, whole(x), whole(y));
    const Between across(x);
    const Between down(y);
    const float alpha = across.weight;
    const float beta = down.weight;
    const std::array<float, 4> a = texel(texture, across.first, down.first);
    const std::array<float, 4> b = texel(texture, across.first + 1, down.first);
    const std::array<float, 4> c = texel(texture, across.first, down.first + 1);
    const std::array<float, 4> d = texel(texture, across.first + 1, down.first + 1);
    std::array<float, 4> values{};
    for (std::size_t i = 0; i < 4; ++i) {
        values[i] = (1 - alpha) * (1 - beta) * a[i] + alpha * (1 - beta) * b[i] + (1 - alpha) * beta * c[i] +
                    alpha * beta * d[i];
    }
    return values;
}

}  // namespace ws::simt
