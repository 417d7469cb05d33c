// JPEGs of every kind that libjpeg writes, against stb_image's decoder.

#include <gtest/gtest.h>

#include <cstdio>
#ifdef WARPSCOPE_LIBJPEG_TURBO
#include <jpeglib.h>
#endif

#include "tests/picture_support.h"

namespace ws {
namespace {

using JpegKinds = Pictures;

#ifndef WARPSCOPE_LIBJPEG_TURBO

TEST_F(JpegKinds, AreAsStbDecodesThem) {
    GTEST_SKIP() << "built without libjpeg-turbo: stb_image decodes all";
}

#else

struct Kind {
    const char* name;
    J_COLOR_SPACE space;
    int components;
    bool progressive;
    int sampling;
    int restart_rows;
};

std::string encoded(const RgbaImage& image, const Kind& kind) {
    jpeg_compress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = JDIMENSION(image.size.width);
    jpeg.image_height = JDIMENSION(image.size.height);
    jpeg.input_components = kind.components;
    jpeg.in_color_space = kind.space;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 92, TRUE);
    if (kind.progressive) jpeg_simple_progression(&jpeg);
    jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = kind.sampling;
    jpeg.restart_in_rows = kind.restart_rows;
    jpeg_start_compress(&jpeg, TRUE);
    std::vector<unsigned char> row(std::size_t(image.size.width) * std::size_t(kind.components));
    for (std::size_t y = 0; y < std::size_t(image.size.height); ++y) {
        for (std::size_t x = 0; x < std::size_t(image.size.width); ++x) {
            const std::uint8_t* pixel = image.bytes.data() + 4 * (y * std::size_t(image.size.width) + x);
            for (std::size_t i = 0; i < std::size_t(kind.components); ++i)
                row[x * std::size_t(kind.components) + i] = i < 3 ? pixel[i] : std::uint8_t(200);
        }
        JSAMPROW rows = row.data();
        jpeg_write_scanlines(&jpeg, &rows, 1);
    }
    jpeg_finish_compress(&jpeg);
    std::string file(reinterpret_cast<const char*>(bytes), size);
    jpeg_destroy_compress(&jpeg);
    std::free(bytes);
    return file;
}

TEST_F(JpegKinds, AreAsStbDecodesThem) {
    const RgbaImage image = draw_test_picture({203, 151});
    for (const Kind& kind :
         {Kind{"baseline", JCS_RGB, 3, false, 1, 0}, Kind{"4:2:0", JCS_RGB, 3, false, 2, 0},
          Kind{"progressive", JCS_RGB, 3, true, 2, 0}, Kind{"gray", JCS_GRAYSCALE, 1, false, 1, 0},
          Kind{"restarts", JCS_RGB, 3, false, 1, 1}, Kind{"CMYK", JCS_CMYK, 4, false, 1, 0}}) {
        const std::string file = encoded(image, kind);
        const RgbaImage read = read_picture(write("kind.jpg", file));
        expect_as_stb(file, read, kind.name);
        for (std::size_t i = 3; i < read.bytes.size(); i += 4) ASSERT_EQ(read.bytes[i], 255) << kind.name;
        EXPECT_NE(message_of(write("kind.jpg", file.substr(0, file.size() - file.size() / 3))), "")
            << kind.name;
    }
}

#endif

}  // namespace
}  // namespace ws
