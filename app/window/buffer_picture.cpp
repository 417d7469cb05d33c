#include "app/window/buffer_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "gpu/engine/matrix_picture.h"

namespace ws {

BufferPicture buffer_picture(const Buffer& buffer, Extent size, HostBytes bytes) {
    const Extent extent = extent_of(buffer, size);
    BufferPicture made;
    if (buffer.element == Element::gray) {
        made.gray.size = extent;
        made.gray.bytes = std::move(bytes);
    } else {
        made.gray = gray_picture(extent, bytes.data());
        made.is_picture = false;
        if (bytes.size() <= kMostValues) made.values = std::move(bytes);
    }
    return made;
}

namespace {

float float_at(const HostBytes& bytes, std::size_t place) {
    float value = 0;
    std::memcpy(&value, &bytes[place * sizeof value], sizeof value);
    return value;
}

std::uint8_t as_gray(float value) {
    // What is no number is as far off as can be.
    return value < 255 ? std::uint8_t(value) : std::uint8_t(255);
}

}  // namespace

GrayImage apart_picture(const BufferPicture& a, const HostBytes& result, int amplification) {
    GrayImage picture(a.gray.size);
    const HostBytes* values = a.bytes();
    if (!values || values->size() != result.size() || result.empty()) return picture;
    if (a.is_picture) {
        for (std::size_t i = 0; i < picture.bytes.size(); ++i) {
            const int apart = std::abs(int(result[i]) - int((*values)[i]));
            picture.bytes[i] = std::uint8_t(std::min(255, apart * amplification));
        }
        return picture;
    }
    float low = float_at(*values, 0);
    float high = low;
    for (std::size_t i = 0; i < picture.bytes.size(); ++i) {
        low = std::min(low, float_at(*values, i));
        high = std::max(high, float_at(*values, i));
    }
    const float scale = 255.0f * float(amplification) / (high > low ? high - low : 1.0f);
    for (std::size_t i = 0; i < picture.bytes.size(); ++i) {
        const float is = float_at(result, i);
        const float should_be = float_at(*values, i);
        // At least visible, however little it is.
        if (is != should_be)
            picture.bytes[i] = std::max<std::uint8_t>(1, as_gray(std::abs(is - should_be) * scale));
    }
    return picture;
}

}  // namespace ws
