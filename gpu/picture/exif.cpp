// How a phone was held when it took a picture.

#include <algorithm>
#include <optional>
#include <utility>

#include "gpu/picture/decoder.h"

namespace ws {
namespace {

// TIFF's numbers, in either byte order; nothing beyond the end.
struct TiffNumbers {
    std::string_view bytes;
    bool big_endian;

    [[nodiscard]] std::optional<std::uint32_t> at(std::size_t offset, std::size_t size) const {
        if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t from = offset + (big_endian ? i : size - 1 - i);
            value = value << 8 | std::uint8_t(bytes[from]);
        }
        return value;
    }
};

// The orientation in the first directory of TIFF data, as EXIF keeps it.
std::optional<std::uint32_t> orientation_of_tiff(std::string_view tiff) {
    constexpr std::uint32_t kOrientation = 0x0112;
    constexpr std::uint32_t kShort = 3;
    constexpr std::size_t kEntryBytes = 12;
    const bool big_endian = starts_with(tiff, "MM");
    if (!big_endian && !starts_with(tiff, "II")) return std::nullopt;
    const TiffNumbers numbers{tiff, big_endian};
    if (numbers.at(2, 2) != 42u) return std::nullopt;
    const std::optional<std::uint32_t> directory = numbers.at(4, 4);
    if (!directory) return std::nullopt;
    const std::optional<std::uint32_t> entries = numbers.at(*directory, 2);
    for (std::size_t i = 0; i < entries.value_or(0); ++i) {
        const std::size_t entry = std::size_t(*directory) + 2 + i * kEntryBytes;
        const std::optional<std::uint32_t> tag = numbers.at(entry, 2);
        if (!tag) return std::nullopt;
        if (*tag == kOrientation && numbers.at(entry + 2, 2) == kShort && numbers.at(entry + 4, 4) == 1u)
            return numbers.at(entry + 8, 2);
    }
    return std::nullopt;
}

}  // namespace

std::vector<JpegSegment> jpeg_segments(std::string_view bytes) {
    constexpr std::uint8_t kStartOfScan = 0xDA;
    constexpr std::uint8_t kEnd = 0xD9;
    std::vector<JpegSegment> segments;
    if (!starts_with(bytes, "\xFF\xD8")) return segments;
    std::size_t at = 2;
    while (true) {
        while (at + 1 < bytes.size() && bytes[at] == '\xFF' && bytes[at + 1] == '\xFF') ++at;  // fill bytes
        if (bytes.size() - at < 4 || bytes[at] != '\xFF') return segments;
        const auto marker = std::uint8_t(bytes[at + 1]);
        const std::size_t length =
            std::size_t(std::uint8_t(bytes[at + 2])) << 8 | std::uint8_t(bytes[at + 3]);
        if (marker == kEnd || length < 2 || length > bytes.size() - at - 2) return segments;
        segments.push_back({marker, bytes.substr(at + 4, length - 2)});
        if (marker == kStartOfScan) return segments;
        at += 2 + length;
    }
}

int exif_orientation(std::string_view bytes) {
    using namespace std::string_view_literals;
    constexpr std::uint8_t kApp1 = 0xE1;
    constexpr std::string_view kExif = "Exif\0\0"sv;
    for (const JpegSegment& segment : jpeg_segments(bytes)) {
        if (segment.marker != kApp1 || !starts_with(segment.data, kExif)) continue;
        const std::uint32_t found = orientation_of_tiff(segment.data.substr(kExif.size())).value_or(1);
        return found >= 1 && found <= 8 ? int(found) : 1;
    }
    return 1;
}

// EXIF's values: 2 to 4 mirror and turn by 180 degrees, 5 to 8 also exchange rows and columns.
RgbaImage turned_upright(RgbaImage image, int orientation) {
    if (orientation <= 1) return image;
    const bool exchanged = orientation >= 5;
    const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool from_bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    const Extent from = image.size;
    const Extent to = exchanged ? Extent{from.height, from.width} : from;
    RgbaImage turned = large_image(to);
    // In squares, so that neither reading nor writing leaves the cache.
    constexpr int kSide = 32;
    for (int top = 0; top < to.height; top += kSide) {
        for (int left = 0; left < to.width; left += kSide) {
            for (int y = top; y < std::min(top + kSide, to.height); ++y) {
                for (int x = left; x < std::min(left + kSide, to.width); ++x) {
                    int column = exchanged ? y : x;
                    int row = exchanged ? x : y;
                    if (from_right) column = from.width - 1 - column;
                    if (from_bottom) row = from.height - 1 - row;
                    const auto* in = image.bytes.data() +
                                     4 * (std::size_t(row) * std::size_t(from.width) + std::size_t(column));
                    std::copy_n(
                        in, 4,
                        turned.bytes.data() + 4 * (std::size_t(y) * std::size_t(to.width) + std::size_t(x)));
                }
            }
        }
    }
    return turned;
}

}  // namespace ws
