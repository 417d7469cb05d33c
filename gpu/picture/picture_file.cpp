#include "gpu/picture/picture_file.h"

#include <stb_image.h>
#include <stb_image_write.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace ws {
namespace {

// The bytes of a file as the decoder reads them; notes when it asks for more than there is.
struct Reader {
    const std::string& bytes;
    std::size_t position = 0;
    bool ran_out = false;

    static int read(void* user, char* out, int size) {
        auto& self = *static_cast<Reader*>(user);
        const std::size_t count = std::min(std::size_t(size), self.bytes.size() - self.position);
        if (count == 0) self.ran_out = true;
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

// The decoder looks at the first bytes through a buffer of this size; a file that fits it is known to be short.
constexpr std::size_t kProbe = 128;

std::string describe_failure(bool truncated) {
    const char* reason = stbi_failure_reason();
    const std::string text = reason ? reason : "";
    if (truncated) return "the picture is truncated";
    if (text == "unknown image type") return "this is no picture that Warpscope reads";
    if (text == "outofmem") return "there is not enough memory for the picture";
    return "the picture is damaged (" + text + ")";
}

int append_bytes(std::string& out, const void* data, int size) {
    out.append(static_cast<const char*>(data), std::size_t(size));
    return size;
}

void write_png_bytes(const std::filesystem::path& path, Extent size, int channels, const std::uint8_t* bytes) {
    stbi_write_png_compression_level = 5;  // the default, 8, takes three times as long for 3 % smaller files
    std::string png;
    const auto append = [](void* out, void* data, int count) {
        append_bytes(*static_cast<std::string*>(out), data, count);
    };
    if (!stbi_write_png_to_func(append, &png, size.width, size.height, channels, bytes, size.width * channels)) {
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
    if (!stbi_info_from_memory(data, length, &width, &height, &channels)) {
        const char* reason = stbi_failure_reason();
        const bool too_large = reason && std::string(reason) == "too large";
        if (too_large) {
            throw Error("the picture is too large", path.string(),
                        "at most 32768 pixels on a side and 512 Mpixel; scale it down first");
        }
        throw Error(describe_failure(false), path.string(), kRemedy);
    }
    const Extent size{width, height};
    if (width < 1 || height < 1 || width > kMaxSide || height > kMaxSide || size.pixels() > kMaxPixels) {
        throw Error("the picture is too large (" + std::to_string(width) + " x " + std::to_string(height) + ")",
                    path.string(), "at most 32768 pixels on a side and 512 Mpixel; scale it down first");
    }

    // Decode through a reader that notices a file that ends too early: some decoders would fill in zeros.
    try {
        Reader reader{bytes};
        using Pixels = std::unique_ptr<stbi_uc, decltype(&stbi_image_free)>;
        const bool small = bytes.size() <= kProbe;
        const Pixels pixels(small ? stbi_load_from_memory(data, length, &width, &height, &channels, 4)
                                  : stbi_load_from_callbacks(&kCallbacks, &reader, &width, &height, &channels, 4),
                            stbi_image_free);
        if (!pixels || reader.ran_out) throw Error(describe_failure(reader.ran_out), path.string(), "copy the file again");
        RgbaImage image(size);
        std::memcpy(image.bytes.data(), pixels.get(), image.bytes.size());
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

}  // namespace ws
