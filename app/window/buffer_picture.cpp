#include "app/window/buffer_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "gpu/engine/matrix_picture.h"

namespace ws {

BufferPicture buffer_picture(const Buffer& buffer, Extent size, HostBytes bytes) {
    const Extent extent = extent_of(buffer, size);
    BufferPicture made;
    if (buffer.element == Element::gray) {
        made.gray.size = extent;
        made.gray.bytes = std::move(bytes);
    } else {
        made.gray = gray_picture(buffer.element, extent, bytes.data());
        made.element = buffer.element;
        made.is_picture = false;
        if (bytes.size() <= kMostValues) made.values = std::move(bytes);
    }
    return made;
}

namespace {

std::uint8_t as_gray(double value) {
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
    const auto step = std::size_t(bytes_of(a.element));
    double low = value_of(a.element, values->data());
    double high = low;
    for (std::size_t i = 0; i < picture.bytes.size(); ++i) {
        const double value = value_of(a.element, values->data() + i * step);
        low = std::min(low, value);
        high = std::max(high, value);
    }
    const double scale = 255.0 * amplification / (high > low ? high - low : 1);
    for (std::size_t i = 0; i < picture.bytes.size(); ++i) {
        const double is = value_of(a.element, result.data() + i * step);
        const double should_be = value_of(a.element, values->data() + i * step);
        // At least visible, however little it is.
        if (is != should_be)
            picture.bytes[i] = std::max<std::uint8_t>(1, as_gray(std::abs(is - should_be) * scale));
    }
    return picture;
}

}  // namespace ws
