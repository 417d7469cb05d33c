// WebP by libwebp.

#ifdef WARPSCOPE_LIBWEBP

#include <fmt/format.h>
#include <webp/decode.h>

#include "gpu/core/error.h"
#include "gpu/picture/decoder.h"

namespace ws {
namespace {

RgbaImage decode_webp(const EncodedPicture& file) {
    constexpr std::size_t kRiffHeader = 8;
    const auto* data = reinterpret_cast<const std::uint8_t*>(file.bytes.data());
    std::size_t promised = 0;
    for (std::size_t i = kRiffHeader; i-- > 4;) promised = promised << 8 | data[i];
    if (file.bytes.size() - kRiffHeader < promised) refuse_truncated(file);
    WebPBitstreamFeatures features;
    const VP8StatusCode status = WebPGetFeatures(data, file.bytes.size(), &features);
    if (status == VP8_STATUS_NOT_ENOUGH_DATA) refuse_truncated(file);
    if (status != VP8_STATUS_OK) refuse_damaged(file, "its header is wrong");
    if (features.has_animation)
        throw Error("an animated WebP is not read", file.path.string(), "save one of its pictures as PNG");
    const Extent size{features.width, features.height};
    refuse_size(file, size, 0);  // lossless pictures of one colour take no bits at all
    RgbaImage image = large_image(size);
    if (!WebPDecodeRGBAInto(data, file.bytes.size(), image.bytes.data(), image.bytes.size(), 4 * size.width))
        refuse_damaged(file, "WebP");
    return image;
}

}  // namespace

const Decoder kWebpDecoder{
    [](std::string_view bytes) { return starts_with(bytes, "RIFF") && starts_with(bytes, "WEBP", 8); },
    decode_webp,
    [] {
        const int version = WebPGetDecoderVersion();
        return fmt::format("WebP by libwebp {}.{}.{}", version >> 16, version >> 8 & 255, version & 255);
    }};

}  // namespace ws

#endif
