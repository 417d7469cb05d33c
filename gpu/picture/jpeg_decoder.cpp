// JPEG by libjpeg-turbo.

#ifdef WARPSCOPE_LIBJPEG_TURBO

#include <csetjmp>
#include <cstdio>
// After <cstdio>, which it needs.
#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>
#include <vector>

#include "gpu/picture/decoder.h"

namespace ws {
namespace {

// A library of C: its errors jump back. What a jump passes over must have no destructors, so the functions
// that set a target hold plain values alone.
struct Errors {
    jpeg_error_mgr manager{};  // first, so that its address is that of the whole
    jmp_buf target{};
    char message[JMSG_LENGTH_MAX] = "";
    bool ended_early = false;
    bool damaged = false;
};

Errors& errors_of(j_common_ptr jpeg) {
    return *reinterpret_cast<Errors*>(jpeg->err);
}

[[noreturn]] void on_error(j_common_ptr jpeg) {
    Errors& errors = errors_of(jpeg);
    jpeg->err->format_message(jpeg, errors.message);
    std::longjmp(errors.target, 1);  // NOLINT(cert-err52-cpp): the library knows no other way
}

// A warning means that the decoder made pixels up, but for a few about bytes that it does not need.
void on_message(j_common_ptr jpeg, int level) {
    if (level >= 0) return;
    Errors& errors = errors_of(jpeg);
    switch (jpeg->err->msg_code) {
        case JWRN_EXTRANEOUS_DATA:  // bytes between segments: some phones leave them
        case JWRN_ADOBE_XFORM:
        case JWRN_JFIF_MAJOR:
            return;
        case JWRN_JPEG_EOF:
        case JWRN_HIT_MARKER:
            errors.ended_early = true;
            break;
        default:
            errors.damaged = true;
    }
    jpeg->err->format_message(jpeg, errors.message);
}

class Jpeg {
  public:
    explicit Jpeg(const EncodedPicture& file) : file_(file) {
        info_.err = jpeg_std_error(&errors_.manager);
        errors_.manager.error_exit = on_error;
        errors_.manager.emit_message = on_message;
    }
    Jpeg(const Jpeg&) = delete;
    Jpeg& operator=(const Jpeg&) = delete;
    ~Jpeg() { jpeg_destroy_decompress(&info_); }

    [[nodiscard]] RgbaImage decode() {
        if (!read_header()) refuse();
        // Huffman codes take at least one bit for each 8 x 8 pixels.
        constexpr std::size_t kPixelsPerByte = 8 * 64;
        const Extent size{int(info_.image_width), int(info_.image_height)};
        refuse_size(file_, size, size.pixels() / kPixelsPerByte);
        if (info_.arith_code) refuse_damaged(file_, "arithmetic coding is not read");
        const bool inks = info_.num_components == 4;
        info_.out_color_space = inks ? JCS_CMYK : JCS_EXT_RGBA;
        info_.dct_method = JDCT_ISLOW;
        info_.do_fancy_upsampling = TRUE;
        RgbaImage image = large_image(size);
        if (!decode_rows(image.bytes.data()) || errors_.ended_early || errors_.damaged) refuse();
        if (inks) inks_to_colours(image.bytes);
        return image;
    }

  private:
    bool read_header() {
        if (setjmp(errors_.target)) return false;  // NOLINT(cert-err52-cpp)
        jpeg_create_decompress(&info_);
        jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(file_.bytes.data()),
                     static_cast<unsigned long>(file_.bytes.size()));
        return jpeg_read_header(&info_, TRUE) == JPEG_HEADER_OK;
    }

    bool decode_rows(std::uint8_t* out) {
        if (setjmp(errors_.target)) return false;  // NOLINT(cert-err52-cpp)
        jpeg_start_decompress(&info_);
        while (info_.output_scanline < info_.output_height) {
            JSAMPROW row = out + std::size_t(4) * info_.output_width * info_.output_scanline;
            jpeg_read_scanlines(&info_, &row, 1);
            if (errors_.ended_early) return false;  // a short file that promises much ends here
        }
        return jpeg_finish_decompress(&info_) == TRUE;
    }

    [[noreturn]] void refuse() const {
        if (errors_.ended_early || errors_.manager.msg_code == JERR_INPUT_EOF) refuse_truncated(file_);
        refuse_damaged(file_, errors_.message);
    }

    // Four inks to RGBA, in place. Adobe's programs store them inverted, and mark it.
    void inks_to_colours(PixelBytes& bytes) const {
        const int invert = info_.saw_Adobe_marker ? 0 : 255;
        for (std::size_t i = 0; i < bytes.size(); i += 4) {
            const int black = invert ^ bytes[i + 3];
            for (std::size_t channel = 0; channel < 3; ++channel)
                bytes[i + channel] = std::uint8_t(((invert ^ bytes[i + channel]) * black + 127) / 255);
            bytes[i + 3] = 255;
        }
    }

    const EncodedPicture& file_;
    jpeg_decompress_struct info_{};
    Errors errors_;
};

}  // namespace

#define WS_TEXT_OF(macro) WS_TEXT(macro)
#define WS_TEXT(text) #text
const Decoder kTurboJpegDecoder{
    [](std::string_view bytes) { return starts_with(bytes, "\xFF\xD8"); },
    [](const EncodedPicture& file) { return Jpeg(file).decode(); },
    [] { return std::string("JPEG by libjpeg-turbo " WS_TEXT_OF(LIBJPEG_TURBO_VERSION)); }};

}  // namespace ws

#endif
