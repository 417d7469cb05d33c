#include "gpu/engine/matrix_picture.h"

#include <algorithm>
#include <cstring>

namespace ws {

float value_at(Extent size, const std::uint8_t* floats, int column, int row) {
    float value = 0;
    const std::size_t at = std::size_t(row) * std::size_t(size.width) + std::size_t(column);
    std::memcpy(&value, floats + at * sizeof value, sizeof value);
    return value;
}

GrayImage gray_picture(Extent size, const std::uint8_t* floats) {
    GrayImage picture(size);
    if (picture.bytes.empty()) return picture;
    float low = value_at(size, floats, 0, 0);
    float high = low;
    for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
            const float value = value_at(size, floats, x, y);
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    const float scale = high > low ? 255 / (high - low) : 0;
    auto out = picture.bytes.begin();
    for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x)
            *out++ = std::uint8_t((value_at(size, floats, x, y) - low) * scale);
    }
    return picture;
}

}  // namespace ws
