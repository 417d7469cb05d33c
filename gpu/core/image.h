#pragma once
// Pictures in host memory: rows from top to bottom without gaps.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/core/pixel_bytes.h"

namespace ws {

struct Extent {
    int width = 0;
    int height = 0;
    [[nodiscard]] std::size_t pixels() const { return std::size_t(width) * std::size_t(height); }
    friend bool operator==(const Extent&, const Extent&) = default;
};

// No picture is larger: a file beyond is refused before memory is taken.
inline constexpr int kMaxSide = 32768;
inline constexpr std::size_t kMaxPixels = std::size_t(512) << 20;

struct RgbaImage {  // 4 bytes a pixel: red, green, blue, alpha
    Extent size;
    PixelBytes bytes;
    RgbaImage() = default;
    explicit RgbaImage(Extent extent) : size(extent), bytes(extent.pixels() * 4) {}
};

// The source, which many hold and nobody changes.
using Picture = std::shared_ptr<const RgbaImage>;

struct GrayImage {  // 1 byte a pixel
    Extent size;
    std::vector<std::uint8_t> bytes;
    GrayImage() = default;
    explicit GrayImage(Extent extent, std::uint8_t fill = 0) : size(extent), bytes(extent.pixels(), fill) {}
    friend bool operator==(const GrayImage&, const GrayImage&) = default;
};

}  // namespace ws
