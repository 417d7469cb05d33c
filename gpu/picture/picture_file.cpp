#include "gpu/picture/picture_file.h"

#include <sys/mman.h>

#include <array>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "gpu/picture/decoder.h"
#include "gpu/picture/png_encoder.h"

namespace ws {
namespace {

// In the order in which they are asked.
constexpr std::array kDecoders{
#ifdef WARPSCOPE_LIBJPEG_TURBO
    &kTurboJpegDecoder,
#endif
#ifdef WARPSCOPE_LIBWEBP
    &kWebpDecoder,
#endif
    &kStbDecoder};

// Formats that people have and Warpscope cannot read.
std::optional<std::string_view> foreign_format(std::string_view bytes) {
    using namespace std::string_view_literals;
    if (starts_with(bytes, "ftyp", 4)) {
        constexpr std::array kBrands{std::pair{"avif"sv, "AVIF"sv}, std::pair{"avis"sv, "AVIF"sv},
                                     std::pair{"heic"sv, "HEIC"sv}, std::pair{"heix"sv, "HEIC"sv},
                                     std::pair{"heim"sv, "HEIC"sv}, std::pair{"heis"sv, "HEIC"sv},
                                     std::pair{"hevc"sv, "HEIC"sv}, std::pair{"hevx"sv, "HEIC"sv},
                                     std::pair{"mif1"sv, "HEIF"sv}, std::pair{"msf1"sv, "HEIF"sv}};
        for (const auto& [brand, format] : kBrands) {
            if (starts_with(bytes, brand, 8)) return format;
        }
    }
    constexpr std::array kMagics{
        std::pair{"II*\0"sv, "TIFF"sv}, std::pair{"MM\0*"sv, "TIFF"sv}, std::pair{"\xFF\x0A"sv, "JPEG XL"sv},
        std::pair{"\0\0\0\x0CJXL "sv, "JPEG XL"sv}, std::pair{"\0\0\0\x0CjP  "sv, "JPEG 2000"sv}};
    for (const auto& [magic, format] : kMagics) {
        if (starts_with(bytes, magic)) return format;
    }
#ifndef WARPSCOPE_LIBWEBP
    if (starts_with(bytes, "RIFF") && starts_with(bytes, "WEBP", 8)) return "WebP";
#endif
    return std::nullopt;
}

void write_png_bytes(const std::filesystem::path& path, Extent size, int channels,
                     const std::uint8_t* bytes) {
    const std::string png = encode_png(size, channels, bytes);
    if (png.empty())
        throw Error("the picture could not be compressed", path.string(), "there may be too little memory");
    write_file(path, png);
}

}  // namespace

void refuse_size(const EncodedPicture& file, Extent size, std::size_t least_bytes) {
    const bool fits =
        size.width >= 1 && size.height >= 1 && size.width <= kMaxSide && size.height <= kMaxSide;
    if (!fits || size.pixels() > kMaxPixels) {
        throw Error("the picture is too large (" + std::to_string(size.width) + " x " +
                        std::to_string(size.height) + ")",
                    file.path.string(), "at most 32768 pixels on a side and 512 Mpixel; scale it down first");
    }
    if (file.bytes.size() < least_bytes) refuse_truncated(file);
}

RgbaImage large_image(Extent size) {
    RgbaImage image(size);
#ifdef MADV_HUGEPAGE
    constexpr std::size_t kPage = std::size_t(1) << 21;
    void* page = image.bytes.data();
    std::size_t room = image.bytes.size();
    // An advice: where it is not taken, nothing is lost.
    if (std::align(kPage, kPage, page, room)) (void)::madvise(page, room / kPage * kPage, MADV_HUGEPAGE);
#endif
    return image;
}

void refuse_truncated(const EncodedPicture& file) {
    throw Error("the picture is truncated", file.path.string(), "copy the file again");
}

void refuse_damaged(const EncodedPicture& file, const std::string& reason) {
    throw Error("the picture is damaged (" + reason + ")", file.path.string(), "copy the file again");
}

RgbaImage decode_picture(const EncodedPicture& file) {
    for (const Decoder* decoder : kDecoders) {
        if (decoder->recognises(file.bytes))
            return turned_upright(decoder->decode(file), exif_orientation(file.bytes));
    }
    throw Error("this is no picture that Warpscope reads", file.path.string());
}

RgbaImage read_picture(const std::filesystem::path& path) {
    constexpr std::size_t kLargestFile = std::size_t(2) << 30;
    try {
        const EncodedPicture file{read_file(path, kLargestFile), path};
        if (file.bytes.empty())
            throw Error("the file is empty", path.string(),
                        "choose a JPEG, PNG, BMP, TGA, PSD, GIF or PNM file");
        if (const std::optional<std::string_view> format = foreign_format(file.bytes))
            throw Error("Warpscope does not read " + std::string(*format), path.string(),
                        "convert the picture to JPEG or PNG");
        return decode_picture(file);
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
    file.append(reinterpret_cast<const char*>(image.bytes.data()), image.bytes.size());
    write_file(path, file);
}

void write_picture(const std::filesystem::path& path, const GrayImage& image) {
    path.extension() == ".pgm" ? write_pgm(path, image) : write_png(path, image);
}

std::vector<std::string> picture_libraries() {
    std::vector<std::string> names{"PNG written by " + png_library()};
    for (const Decoder* decoder : kDecoders) names.push_back(decoder->library());
    return names;
}

}  // namespace ws
