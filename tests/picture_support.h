#pragma once
// Pictures of every format, made in memory, and a folder for them.

#include <gtest/gtest.h>
#include <stb_image.h>
#include <stb_image_write.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "gpu/picture/picture_file.h"
#include "gpu/picture/test_picture.h"

namespace ws {

namespace fs = std::filesystem;

class Pictures : public ::testing::Test {
  protected:
    Pictures() : folder_(fs::temp_directory_path() / ("warpscope_picture_" + std::to_string(::getpid()))) {
        fs::create_directories(folder_);
    }
    ~Pictures() override { fs::remove_all(folder_); }

    fs::path write(const std::string& name, const std::string& bytes) {
        fs::remove(folder_ / name);
        std::ofstream(folder_ / name, std::ios::binary)
            << bytes;  // thousands of files need not reach the disk
        return folder_ / name;
    }
    std::string message_of(const fs::path& path) {
        try {
            (void)read_picture(path);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }
    fs::path folder_;
};

inline std::string encode(const RgbaImage& image, int channels,
                          const std::function<void(stbi_write_func*, void*, const void*)>& write) {
    std::string pixels;
    for (std::size_t i = 0; i < image.size.pixels(); ++i) {
        for (int channel = 0; channel < channels; ++channel)
            pixels += char(image.bytes[4 * i + std::size_t(channel)]);
    }
    std::string file;
    write(
        [](void* out, void* data, int size) {
            static_cast<std::string*>(out)->append(static_cast<char*>(data), std::size_t(size));
        },
        &file, pixels.data());
    return file;
}

inline std::string png(const RgbaImage& image, int channels) {
    return encode(image, channels, [&](stbi_write_func* out, void* user, const void* pixels) {
        stbi_write_png_to_func(out, user, image.size.width, image.size.height, channels, pixels,
                               image.size.width * channels);
    });
}

inline std::string big_endian(unsigned value) {
    return {char(value >> 24), char(value >> 16), char(value >> 8), char(value)};
}

inline std::string bmp(const RgbaImage& image) {
    return encode(image, 3, [&](auto* out, void* user, const void* p) {
        stbi_write_bmp_to_func(out, user, image.size.width, image.size.height, 3, p);
    });
}

inline std::string tga(const RgbaImage& image) {  // in runs
    return encode(image, 4, [&](auto* out, void* user, const void* p) {
        stbi_write_tga_to_func(out, user, image.size.width, image.size.height, 4, p);
    });
}

inline std::string jpg(const RgbaImage& image, int quality) {
    return encode(image, 3, [&](auto* out, void* user, const void* p) {
        stbi_write_jpg_to_func(out, user, image.size.width, image.size.height, 3, p, quality);
    });
}

inline std::string ppm(const RgbaImage& image) {
    std::string file =
        "P6\n" + std::to_string(image.size.width) + " " + std::to_string(image.size.height) + "\n255\n";
    for (std::size_t i = 0; i < image.bytes.size(); ++i) {
        if (i % 4 != 3) file += char(image.bytes[i]);
    }
    return file;
}

inline std::string psd(const RgbaImage& image) {
    std::string file = std::string("8BPS\0\1\0\0\0\0\0\0\0\3", 14) + big_endian(unsigned(image.size.height)) +
                       big_endian(unsigned(image.size.width)) + std::string("\0\x08\0\3", 4) + big_endian(0) +
                       big_endian(0) + big_endian(0) + std::string("\0\0", 2);
    for (std::size_t channel = 0; channel < 3; ++channel) {
        for (std::size_t i = 0; i < image.size.pixels(); ++i) file += char(image.bytes[4 * i + channel]);
    }
    return file;
}

inline std::string little_endian16(unsigned value) {
    return {char(value), char(value >> 8)};
}

// A GIF whose codes are all 9 bits wide: a clear code comes before the table would grow.
inline std::string gif(Extent size, const std::string& indices) {
    constexpr unsigned kClear = 256;
    constexpr unsigned kEnd = 257;
    std::string bits;
    unsigned pending = 0;
    int held = 0;
    const auto code = [&](unsigned value) {
        pending |= value << held;
        for (held += 9; held >= 8; held -= 8, pending >>= 8) bits += char(pending);
    };
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (i % 200 == 0) code(kClear);
        code(std::uint8_t(indices[i]));
    }
    code(kEnd);
    bits += char(pending);
    std::string file = "GIF89a" + little_endian16(unsigned(size.width)) +
                       little_endian16(unsigned(size.height)) + std::string("\xf7\0\0", 3);
    for (int i = 0; i < 256; ++i) file += {char(i), char(255 - i), char(i / 2)};
    file += "," + std::string(4, '\0') + little_endian16(unsigned(size.width)) +
            little_endian16(unsigned(size.height)) + std::string("\0\x08", 2);
    for (std::size_t at = 0; at < bits.size(); at += 255) {
        const std::string block = bits.substr(at, 255);
        file += char(block.size()) + block;
    }
    return file + std::string("\0;", 2);
}

// A JPEG as it was read, against stb_image's decoder: within what rounding and the widening of colours may
// differ.
inline void expect_as_stb(const std::string& file, const RgbaImage& read, const std::string& what) {
    int width = 0;
    int height = 0;
    int channels = 0;
    const PixelBytes::Owned other(stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(file.data()),
                                                        int(file.size()), &width, &height, &channels, 4));
    ASSERT_TRUE(other) << what;
    ASSERT_EQ(read.size, (Extent{width, height})) << what;
    int largest = 0;
    double sum = 0;
    for (std::size_t i = 0; i < read.bytes.size(); ++i) {
        const int difference = std::abs(int(read.bytes[i]) - int(other[i]));
        largest = std::max(largest, difference);
        sum += difference;
    }
    EXPECT_LE(largest, 8) << what;
    EXPECT_LE(sum / double(read.bytes.size()), 0.5) << what;
}

}  // namespace ws
