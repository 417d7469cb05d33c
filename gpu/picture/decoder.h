#pragma once
// A format of pictures: how it is recognised, and how it is decoded. One file per library.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/image.h"

namespace ws {

struct EncodedPicture {
    std::string bytes;  // not empty
    std::filesystem::path path;
};

struct Decoder {
    bool (*recognises)(std::string_view bytes);
    // Calls refuse_size before it takes memory. Throws Error: truncated, damaged.
    RgbaImage (*decode)(const EncodedPicture& file);
    std::string (*library)();  // "JPEG by NAME VERSION"
};

// By the first decoder that recognises it, upright. Throws Error.
[[nodiscard]] RgbaImage decode_picture(const EncodedPicture& file);

// Throws Error for a picture beyond kMaxSide and kMaxPixels, and for one whose file is shorter than
// `least_bytes`, the fewest that a picture of this size can have in its format.
void refuse_size(const EncodedPicture& file, Extent size, std::size_t least_bytes);

// Black, in large pages of memory where the system has them: a fifth of the time that libjpeg-turbo takes for
// a photograph would go into making small ones.
[[nodiscard]] RgbaImage large_image(Extent size);

[[noreturn]] void refuse_truncated(const EncodedPicture& file);
[[noreturn]] void refuse_damaged(const EncodedPicture& file, const std::string& reason);

inline bool starts_with(std::string_view bytes, std::string_view magic, std::size_t at = 0) {
    return bytes.size() >= at && bytes.substr(at, magic.size()) == magic;
}

#ifdef WARPSCOPE_LIBJPEG_TURBO
extern const Decoder kTurboJpegDecoder;
#endif
#ifdef WARPSCOPE_LIBWEBP
extern const Decoder kWebpDecoder;
#endif
extern const Decoder kStbDecoder;  // recognises everything

// JPEG's marker segments from the first one to the picture's data: the marker's second byte and what follows
// its length. Damaged ones end the list.
struct JpegSegment {
    std::uint8_t marker;
    std::string_view data;
};
[[nodiscard]] std::vector<JpegSegment> jpeg_segments(std::string_view bytes);

// How a camera was held, by the EXIF data of a JPEG file: 1 (upright) to 8. 1 where there is none, or
// nonsense.
[[nodiscard]] int exif_orientation(std::string_view bytes);
// The picture upright.
[[nodiscard]] RgbaImage turned_upright(RgbaImage image, int orientation);

}  // namespace ws
