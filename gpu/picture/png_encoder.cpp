#include "gpu/picture/png_encoder.h"

#ifdef WARPSCOPE_LIBDEFLATE
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>
#else
#include <stb_image_write.h>
#endif

namespace ws {

#ifdef WARPSCOPE_LIBDEFLATE
namespace {

using Row = const std::uint8_t*;

std::uint8_t paeth(int left, int up, int corner) {
    const int by_left = std::abs(up - corner);
    const int by_up = std::abs(left - corner);
    const int by_corner = std::abs(left + up - 2 * corner);
    const int vertical = by_up <= by_corner ? up : corner;
    return std::uint8_t(by_left <= by_up && by_left <= by_corner ? left : vertical);
}

// PNG's five filters of a row of `bytes`; `row` and `up` have kChannels zeros before their first byte.
// Returns the sum of the magnitudes, by which the filter is chosen.
template <int kChannels, typename Predict>
std::uint32_t filter(Row row, Row up, std::size_t bytes, std::uint8_t* out, const Predict& predict) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
        const std::uint8_t* at = row + i;
        const auto value = std::uint8_t(*at - predict(at[-kChannels], up[i], up[i - kChannels]));
        out[i] = value;
        sum += std::uint32_t(std::min<int>(value, 256 - value));
    }
    return sum;
}

template <int kChannels>
void filter_row(Row row, Row up, std::size_t bytes, std::vector<std::uint8_t>& spare, std::uint8_t* out) {
    std::uint32_t best = UINT32_MAX;
    const auto attempt = [&](std::uint8_t kind, const auto& predict) {
        const std::uint32_t sum = filter<kChannels>(row, up, bytes, spare.data(), predict);
        if (sum >= best) return;
        best = sum;
        out[0] = kind;
        std::memcpy(out + 1, spare.data(), bytes);
    };
    attempt(0, [](int, int, int) { return 0; });
    attempt(1, [](int left, int, int) { return left; });
    attempt(2, [](int, int above, int) { return above; });
    attempt(3, [](int left, int above, int) { return (left + above) / 2; });
    attempt(4, [](int left, int above, int corner) { return paeth(left, above, corner); });
}

template <int kChannels>
std::vector<std::uint8_t> filtered(Extent size, const std::uint8_t* pixels) {
    const std::size_t bytes = std::size_t(size.width) * kChannels;
    std::vector<std::uint8_t> out((bytes + 1) * std::size_t(size.height));
    std::vector<std::uint8_t> spare(bytes);
    // Two rows with zeros before them.
    std::array<std::vector<std::uint8_t>, 2> rows;
    for (auto& row : rows) row.resize(bytes + kChannels);
    for (std::size_t y = 0; y < std::size_t(size.height); ++y) {
        std::uint8_t* row = rows[y % 2].data() + kChannels;
        std::memcpy(row, pixels + y * bytes, bytes);
        filter_row<kChannels>(row, rows[(y + 1) % 2].data() + kChannels, bytes, spare,
                              out.data() + y * (bytes + 1));
    }
    return out;
}

void append_number(std::string& png, std::uint32_t value) {
    for (const int shift : {24, 16, 8, 0}) png += char(value >> shift);
}

void append_chunk(std::string& png, const char* kind, std::string_view data) {
    append_number(png, std::uint32_t(data.size()));
    const std::size_t begin = png.size();
    png += kind;
    png += data;
    append_number(png, libdeflate_crc32(0, png.data() + begin, png.size() - begin));
}

}  // namespace

std::string encode_png(Extent size, int channels, const std::uint8_t* pixels) {
    constexpr int kLevel = 1;  // a third smaller than stb's files already, in a fifth of the time
    constexpr std::size_t kMostOfAChunk = std::size_t(1) << 30;
    const std::vector<std::uint8_t> rows =
        channels == 1 ? filtered<1>(size, pixels) : filtered<4>(size, pixels);
    const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
        libdeflate_alloc_compressor(kLevel), libdeflate_free_compressor);
    if (!compressor) return {};
    std::string packed(libdeflate_zlib_compress_bound(compressor.get(), rows.size()), '\0');
    packed.resize(
        libdeflate_zlib_compress(compressor.get(), rows.data(), rows.size(), packed.data(), packed.size()));
    if (packed.empty()) return {};

    std::string png = "\x89PNG\r\n\x1a\n";
    png.reserve(packed.size() + 128);
    std::string header;
    append_number(header, std::uint32_t(size.width));
    append_number(header, std::uint32_t(size.height));
    header += {8, char(channels == 1 ? 0 : 6), 0, 0, 0};
    append_chunk(png, "IHDR", header);
    for (std::size_t at = 0; at < packed.size(); at += kMostOfAChunk)
        append_chunk(png, "IDAT", std::string_view(packed).substr(at, kMostOfAChunk));
    append_chunk(png, "IEND", {});
    return png;
}

std::string png_library() {
    return "libdeflate " LIBDEFLATE_VERSION_STRING;
}

#else

std::string encode_png(Extent size, int channels, const std::uint8_t* pixels) {
    // The default, 8, takes three times as long for 3 % smaller files.
    static const int level = stbi_write_png_compression_level = 5;
    (void)level;
    std::string png;
    const auto append = [](void* out, void* data, int count) {
        static_cast<std::string*>(out)->append(static_cast<const char*>(data),
                                               static_cast<std::size_t>(count));
    };
    if (!stbi_write_png_to_func(append, &png, size.width, size.height, channels, pixels,
                                size.width * channels))
        return {};
    return png;
}

std::string png_library() {
    return "stb_image_write";
}

#endif

}  // namespace ws
