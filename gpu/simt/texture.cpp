#include "gpu/simt/texture.h"

#include <algorithm>
#include <cmath>

namespace ws::simt {
namespace {

constexpr int kTileWidth = 64;  // in bytes
constexpr int kTileHeight = 8;  // in rows
constexpr std::uint64_t kTileBytes = std::uint64_t(kTileWidth) * kTileHeight;

int remainder(int at, int size) {
    return ((at % size) + size) % size;
}

// -1 on the border.
int addressed(int at, int size, Texture::Address mode) {
    switch (mode) {
        case Texture::Address::wrap:
            return remainder(at, size);
        case Texture::Address::mirror: {
            const int there_and_back = remainder(at, 2 * size);
            return std::min(there_and_back, 2 * size - 1 - there_and_back);
        }
        case Texture::Address::border:
            return at < 0 || at >= size ? -1 : at;
        case Texture::Address::clamp:
            break;
    }
    return std::clamp(at, 0, size - 1);
}

// What is no number counts as far outside.
int whole(float value) {
    constexpr float kFar = 1e9f;
    return value > -kFar ? int(std::min(std::floor(value), kFar)) : int(-kFar);
}

// Between the texels before and behind a coordinate. The weight of the second has 8 bits of fraction (CUDA C
// Programming Guide, texture fetching: 9-bit fixed point, so that 1 is exact).
struct Between {
    int first = 0;
    float weight = 0;

    explicit Between(float coordinate) : first(whole(coordinate - 0.5f)) {
        weight = std::round((coordinate - 0.5f - std::floor(coordinate - 0.5f)) * 256.0f) / 256.0f;
    }
};

void add(const Texture& texture, int x, int y, float weight, Footprint& to) {
    x = addressed(x, texture.width, texture.address);
    y = addressed(y, texture.height, texture.address);
    if (x >= 0 && y >= 0) to.texels[to.count++] = {x, y, weight};
}

std::array<float, 4> channels_of(const Texture& texture, int x, int y) {
    std::array<float, 4> values{};
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

std::uint64_t tiles_across(const Texture& texture) {
    return (std::uint64_t(texture.width) * std::uint64_t(texture.texel_bytes()) + kTileWidth - 1) /
           kTileWidth;
}

}  // namespace

Footprint footprint(const Texture& texture, int x, int y) {
    Footprint made;
    add(texture, x, y, 1, made);
    return made;
}

Footprint footprint(const Texture& texture, float x) {
    if (texture.normalised_coordinates) x *= float(texture.width);
    if (!texture.linear) return footprint(texture, whole(x), 0);
    const Between across(x);
    Footprint made;
    add(texture, across.first, 0, 1 - across.weight, made);
    add(texture, across.first + 1, 0, across.weight, made);
    return made;
}

Footprint footprint(const Texture& texture, float x, float y) {
    if (texture.normalised_coordinates) {
        x *= float(texture.width);
        y *= float(texture.height);
    }
    if (!texture.linear) return footprint(texture, whole(x), whole(y));
    const Between across(x);
    const Between down(y);
    const float alpha = across.weight;
    const float beta = down.weight;
    Footprint made;
    add(texture, across.first, down.first, (1 - alpha) * (1 - beta), made);
    add(texture, across.first + 1, down.first, alpha * (1 - beta), made);
    add(texture, across.first, down.first + 1, (1 - alpha) * beta, made);
    add(texture, across.first + 1, down.first + 1, alpha * beta, made);
    return made;
}

std::array<float, 4> fetched(const Texture& texture, const Footprint& from) {
    std::array<float, 4> sum{};
    for (std::size_t i = 0; i < from.count; ++i) {
        const Footprint::Texel& texel = from.texels[i];
        const std::array<float, 4> values = channels_of(texture, texel.x, texel.y);
        for (std::size_t c = 0; c < values.size(); ++c) sum[c] += texel.weight * values[c];
    }
    return sum;
}

std::uint64_t address_of(const Texture& texture, int x, int y) {
    const auto across = std::uint64_t(x) * std::uint64_t(texture.texel_bytes());
    if (texture.height == 1) return texture.base + across;
    const auto row = std::uint64_t(y);
    const std::uint64_t tile = row / kTileHeight * tiles_across(texture) + across / kTileWidth;
    const std::uint64_t in_tile = across % kTileWidth / 32 * 256 + row % kTileHeight / 2 * 64 +
                                  across % 32 / 16 * 32 + row % 2 * 16 + across % 16;
    return texture.base + tile * kTileBytes + in_tile;
}

std::uint64_t bytes_of(const Texture& texture) {
    const std::uint64_t tiles_down = (std::uint64_t(texture.height) + kTileHeight - 1) / kTileHeight;
    return tiles_across(texture) * tiles_down * kTileBytes;
}

}  // namespace ws::simt
