#include "gpu/engine/matrix_picture.h"

#include <algorithm>

namespace ws {

double value_at(Element element, Extent size, const std::uint8_t* bytes, int column, int row) {
    const std::size_t place = std::size_t(row) * std::size_t(size.width) + std::size_t(column);
    return value_of(element, bytes + place * std::size_t(bytes_of(element)));
}

GrayImage gray_picture(Element element, Extent size, const std::uint8_t* bytes) {
    GrayImage picture(size);
    if (picture.bytes.empty()) return picture;
    const auto step = std::size_t(bytes_of(element));
    double low = value_of(element, bytes);
    double high = low;
    for (std::size_t i = 0; i < picture.bytes.size(); ++i) {
        const double value = value_of(element, bytes + i * step);
        low = std::min(low, value);
        high = std::max(high, value);
    }
    const float scale = high > low ? 255 / float(high - low) : 0;
    for (std::size_t i = 0; i < picture.bytes.size(); ++i)
        picture.bytes[i] = std::uint8_t(float(value_of(element, bytes + i * step) - low) * scale);
    return picture;
}

}  // namespace ws
