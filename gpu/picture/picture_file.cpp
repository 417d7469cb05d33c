#include "gpu/picture/picture_file.h"

#include <stb_image.h>
#include <stb_image_write.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>
#include <new>
#include <optional>

#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace ws {
namespace {

// The size of the decoder's own buffer, through which it looks at the first bytes; a file that fits it is
// known to be short.
constexpr std::size_t kProbe = 128;

// The bytes of a file as the decoder reads them; notes when it asks for more than there is.
struct Reader {
    const std::string& bytes;
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

std::string describe_failure(bool truncated) {
    const char* reason = stbi_failure_reason();
    const std::string text = reason ? reason : "";
    if (truncated) return "the picture is truncated";
    if (text == "unknown image type") return "this is no picture that Warpscope reads";
    if (text == "outofmem") return "there is not enough memory for the picture";
    return "the picture is damaged (" + text + ")";
}

void refuse_giant(Extent size, const std::filesystem::path& path) {
    const bool fits =
        size.width >= 1 && size.height >= 1 && size.width <= kMaxSide && size.height <= kMaxSide;
    if (fits && size.pixels() <= kMaxPixels) return;
    throw Error(
        "the picture is too large (" + std::to_string(size.width) + " x " + std::to_string(size.height) + ")",
        path.string(), "at most 32768 pixels on a side and 512 Mpixel; scale it down first");
}

// What a PNG's header promises: the decoder itself calls a giant one no picture at all.
std::optional<Extent> png_size(const std::string& bytes) {
    constexpr std::size_t kSizeAt = 16;
    if (bytes.rfind("\x89PNG\r\n\x1a\n", 0) != 0 || bytes.size() < kSizeAt + 8) return std::nullopt;
    const auto number = [&](std::size_t at) {
        std::int64_t value = 0;
        for (std::size_t i = 0; i < 4; ++i) value = value << 8 | std::uint8_t(bytes[at + i]);
        return int(std::min<std::int64_t>(value, INT32_MAX));
    };
    return Extent{number(kSizeAt), number(kSizeAt + 4)};
}

bool is_wide_pnm(const std::string& bytes) {
    return bytes[0] == 'P' &&
           stbi_is_16_bit_from_memory(reinterpret_cast<const stbi_uc*>(bytes.data()), int(bytes.size()));
}

// PNM of 16 bits: the decoder hands out the samples as the file has them, high byte first, and cannot widen
// them.
RgbaImage read_wide_pnm(const std::string& bytes, const std::filesystem::path& path) {
    Reader reader{bytes};
    int width = 0;
    int height = 0;
    int channels = 0;
    using Samples = std::unique_ptr<stbi_us, decltype(&stbi_image_free)>;
    const Samples samples(stbi_load_16_from_callbacks(&kCallbacks, &reader, &width, &height, &channels, 0),
                          stbi_image_free);
    if (!samples || reader.ran_out)
        throw Error(describe_failure(reader.ran_out), path.string(), "copy the file again");
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

int append_bytes(std::string& out, const void* data, int size) {
    out.append(static_cast<const char*>(data), std::size_t(size));
    return size;
}

void write_png_bytes(const std::filesystem::path& path, Extent size, int channels,
                     const std::uint8_t* bytes) {
    // The default, 8, takes three times as long for 3 % smaller files.
    static const int level = stbi_write_png_compression_level = 5;
    (void)level;
    std::string png;
    const auto append = [](void* out, void* data, int count) {
        append_bytes(*static_cast<std::string*>(out), data, count);
    };
    if (!stbi_write_png_to_func(append, &png, size.width, size.height, channels, bytes,
                                size.width * channels)) {
        throw Error("the picture could not be compressed", path.string(), "there may be too little memory");
    }
    write_file(path, png);
}

}  // namespace

RgbaImage read_picture(const std::filesystem::path& path) {
    const char* const kRemedy = "choose a JPEG, PNG, BMP, TGA, PSD, GIF or PNM file";
    constexpr std::size_t kLargestFile = std::size_t(2) << 30;
    const std::string bytes = read_file(path, kLargestFile);
    if (bytes.empty()) throw Error("the file is empty", path.string(), kRemedy);

    // Size and kind first.
    const auto* data = reinterpret_cast<const stbi_uc*>(bytes.data());
    const int length = int(std::min<std::size_t>(bytes.size(), INT32_MAX));
    int width = 0;
    int height = 0;
    int channels = 0;
    if (const std::optional<Extent> promised = png_size(bytes)) refuse_giant(*promised, path);
    if (!stbi_info_from_memory(data, length, &width, &height, &channels)) {
        throw Error(describe_failure(false), path.string(), kRemedy);
    }
    const Extent size{width, height};
    refuse_giant(size, path);
    if (is_wide_pnm(bytes)) return read_wide_pnm(bytes, path);

    // Decode through a reader that notices a file that ends too early: some decoders would fill in zeros.
    try {
        Reader reader{bytes};
        const bool small = bytes.size() <= kProbe;
        PixelBytes::Owned pixels(
            small ? stbi_load_from_memory(data, length, &width, &height, &channels, 4)
                  : stbi_load_from_callbacks(&kCallbacks, &reader, &width, &height, &channels, 4));
        if (!pixels || reader.ran_out)
            throw Error(describe_failure(reader.ran_out), path.string(), "copy the file again");
        RgbaImage image;
        image.size = size;
        image.bytes = PixelBytes(std::move(pixels), 4 * size.pixels());  // stb_image's memory is malloc's
        return image;
    } catch (const std::bad_alloc&) {
        throw Error("there is not enough memory for the picture", path.string(), "scale it down first");
    }
}

void write_png(const std::filesystem::path& path, const GrayImage& image) {
    write_png_bytes(path, image.size, 1, image.bytes.data());
}

void write_png(const std::filesystem::path& path, const RgbaImage& image) {
    write_png_bytes(path, image.size, 4, image.bytes.data());
}

void write_pgm(const std::filesystem::path& path, const GrayImage& image) {
    std::string file =
        "P5\n" + std::to_string(image.size.width) + " " + std::to_string(image.size.height) + "\n255\n";
    append_bytes(file, image.bytes.data(), int(image.bytes.size()));
    write_file(path, file);
}

}  // namespace ws
