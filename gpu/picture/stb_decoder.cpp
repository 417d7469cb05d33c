// PNG, BMP, TGA, PSD, GIF and PNM by stb_image; JPEG too where libjpeg-turbo is missing.

#include <stb_image.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>
#include <new>
#include <optional>

#include "gpu/core/error.h"
#include "gpu/picture/decoder.h"

namespace ws {
namespace {

// The size of the decoder's own buffer, through which it looks at the first bytes.
constexpr std::size_t kProbe = 128;

// The bytes of a file as the decoder reads them, more than kProbe; notes when it asks for more than there is.
struct Reader {
    std::string_view bytes;
    std::size_t position = 0;
    bool ran_out = false;

    static int read(void* user, char* out, int size) {
        auto& self = *static_cast<Reader*>(user);
        const std::size_t count = std::min(std::size_t(size), self.bytes.size() - self.position);
        // The decoder's own buffer asks for more than there may be; whoever asks for another amount needs all
        // of it.
        if (count == 0 || (count < std::size_t(size) && std::size_t(size) != kProbe)) self.ran_out = true;
        std::memcpy(out, self.bytes.data() + self.position, count);
        self.position += count;
        return int(count);
    }
    static void skip(void* user, int count) {
        auto& self = *static_cast<Reader*>(user);
        const auto target = std::ptrdiff_t(self.position) + count;
        self.position = std::size_t(std::clamp<std::ptrdiff_t>(target, 0, std::ptrdiff_t(self.bytes.size())));
    }
    static int at_end(void* user) {
        const auto& self = *static_cast<Reader*>(user);
        return self.position >= self.bytes.size();
    }
};

constexpr stbi_io_callbacks kCallbacks{Reader::read, Reader::skip, Reader::at_end};

std::string failure_reason() {
    const char* reason = stbi_failure_reason();
    return reason ? reason : "";
}

[[noreturn]] void refuse_foreign(const EncodedPicture& file) {
    throw Error("this is no picture that Warpscope reads", file.path.string(),
                "choose a JPEG, PNG, BMP, TGA, PSD, GIF or PNM file");
}

[[noreturn]] void refuse(const EncodedPicture& file) {
    const std::string reason = failure_reason();
    if (reason == "unknown image type") refuse_foreign(file);
    if (reason == "outofmem") throw std::bad_alloc();
    refuse_damaged(file, reason);
}

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size, bool big_endian) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size && at + size <= bytes.size(); ++i)
        value = value << 8 | std::uint8_t(bytes[at + (big_endian ? i : size - 1 - i)]);
    return value;
}

// What a PNG's header promises: the decoder itself calls a giant one no picture at all.
std::optional<Extent> png_size(std::string_view bytes) {
    constexpr std::size_t kSizeAt = 16;
    if (!starts_with(bytes, "\x89PNG\r\n\x1a\n") || bytes.size() < kSizeAt + 8) return std::nullopt;
    const auto side = [&](std::size_t at) {
        return int(std::min<std::uint32_t>(number_at(bytes, at, 4, true), INT32_MAX));
    };
    return Extent{side(kSizeAt), side(kSizeAt + 4)};
}

const stbi_uc* data_of(std::string_view bytes) {
    return reinterpret_cast<const stbi_uc*>(bytes.data());
}

int length_of(std::string_view bytes) {
    return int(std::min<std::size_t>(bytes.size(), INT32_MAX));
}

bool is_wide(std::string_view bytes) {
    return stbi_is_16_bit_from_memory(data_of(bytes), length_of(bytes)) != 0;
}

// The fewest bytes that a file of the format can have for so many pixels: all of them where nothing is
// compressed, else what the code can do at its very best.
std::size_t least_bytes(std::string_view bytes, Extent size, int channels) {
    const std::size_t pixels = size.pixels();
    if (starts_with(bytes, "\x89PNG")) {
        constexpr std::size_t kDeflateAtBest = 1032;
        constexpr std::size_t kColorTypes[] = {1, 1, 3, 1, 2, 1, 4};  // samples of a pixel
        const std::size_t depth = number_at(bytes, 24, 1, true);
        const std::size_t samples = kColorTypes[std::min<std::uint32_t>(number_at(bytes, 25, 1, true), 6)];
        const std::size_t row = 1 + (std::size_t(size.width) * depth * samples + 7) / 8;
        return row * std::size_t(size.height) / kDeflateAtBest;
    }
    if (starts_with(bytes, "\xFF\xD8")) return pixels / (8 * 64);  // a bit for each 8 x 8 pixels
    if (starts_with(bytes, "GIF8")) return pixels / 4096;          // a code for as many as its table is long
    if (starts_with(bytes, "8BPS")) return pixels / 64;            // two bytes for a run of 128
    if (starts_with(bytes, "P")) return pixels * std::size_t(channels) * (is_wide(bytes) ? 2 : 1);
    if (starts_with(bytes, "BM")) {
        const bool old_header = number_at(bytes, 14, 4, false) == 12;
        return pixels * number_at(bytes, old_header ? 24 : 28, 2, false) / 8;
    }
    // TGA, which has no magic: runs of 128 pixels, or all of them.
    const std::size_t bits = number_at(bytes, 16, 1, false);
    const bool runs = number_at(bytes, 2, 1, false) >= 8;
    return runs ? pixels / 128 * (1 + bits / 8) : pixels * bits / 8;
}

// PNM of 16 bits: the decoder hands out the samples as the file has them, high byte first, and cannot widen
// them.
RgbaImage decode_wide_pnm(Reader& reader) {
    int width = 0;
    int height = 0;
    int channels = 0;
    using Samples = std::unique_ptr<stbi_us, decltype(&stbi_image_free)>;
    const Samples samples(stbi_load_16_from_callbacks(&kCallbacks, &reader, &width, &height, &channels, 0),
                          stbi_image_free);
    if (!samples || reader.ran_out) return {};
    const auto* high_byte = reinterpret_cast<const std::uint8_t*>(samples.get());
    RgbaImage image({width, height});
    for (std::size_t i = 0; i < image.size.pixels(); ++i) {
        for (std::size_t channel = 0; channel < 3; ++channel) {
            const std::size_t from = i * std::size_t(channels) + (channels == 3 ? channel : 0);
            image.bytes[4 * i + channel] = high_byte[2 * from];
        }
        image.bytes[4 * i + 3] = 255;
    }
    return image;
}

// An empty picture if the decoder refuses, or asks for more bytes than there are: some formats would be
// filled up with zeros.
RgbaImage decode_all(Reader& reader) {
    // By the very bytes that are decoded: with the wrong answer the decoder reads beyond its memory.
    if (is_wide(reader.bytes) && starts_with(reader.bytes, "P")) return decode_wide_pnm(reader);
    RgbaImage image;
    int channels = 0;
    PixelBytes::Owned pixels(
        stbi_load_from_callbacks(&kCallbacks, &reader, &image.size.width, &image.size.height, &channels, 4));
    if (!pixels || reader.ran_out) return {};
    image.bytes = PixelBytes(std::move(pixels), 4 * image.size.pixels());  // stb_image's memory is malloc's
    return image;
}

// The decoder cannot be watched inside its own buffer, where a short file lies as a whole. So the buffer is
// filled up, with zeros and with ones: a complete picture does not depend on what follows it.
RgbaImage decode_short(const EncodedPicture& file) {
    RgbaImage images[2];
    for (const bool ones : {false, true}) {
        const std::string padded = file.bytes + std::string(kProbe - file.bytes.size(), ones ? '\xFF' : '\0');
        Reader reader{padded};
        images[ones] = decode_all(reader);
        if (reader.ran_out) refuse_truncated(file);
    }
    if (!(images[0].bytes == images[1].bytes)) refuse_truncated(file);
    if (images[0].bytes.empty()) refuse(file);
    return std::move(images[0]);
}

RgbaImage decode_by_stb(const EncodedPicture& file) {
    Extent size;
    int channels = 0;
    if (const std::optional<Extent> promised = png_size(file.bytes)) refuse_size(file, *promised, 0);
    if (!stbi_info_from_memory(data_of(file.bytes), length_of(file.bytes), &size.width, &size.height,
                               &channels))
        refuse(file);
    refuse_size(file, size, least_bytes(file.bytes, size, channels));
    if (file.bytes.size() < kProbe) return decode_short(file);
    Reader reader{file.bytes};
    RgbaImage image = decode_all(reader);
    if (reader.ran_out) refuse_truncated(file);
    if (image.bytes.empty()) refuse(file);
    return image;
}

}  // namespace

const Decoder kStbDecoder{[](std::string_view) { return true; }, decode_by_stb,
                          [] { return std::string("all others by stb_image"); }};

}  // namespace ws
