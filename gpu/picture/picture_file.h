#pragma once
// Pictures as files: JPEG, PNG, BMP, TGA, PSD, GIF and PNM are read, WebP where libwebp is found, PNG and PGM
// are written.

#include <filesystem>
#include <string>
#include <vector>

#include "gpu/core/image.h"

namespace ws {

// Gray, gray with alpha, RGB, RGBA and CMYK of 8 or 16 bits, as RGBA; upright by the EXIF data of a JPEG
// file. Size and kind are checked before memory is taken. Throws Error: missing, empty, truncated, giant, not
// a picture.
[[nodiscard]] RgbaImage read_picture(const std::filesystem::path& path);

// Throws Error; a file that was there stays if the new one cannot be written.
void write_png(const std::filesystem::path& path, const GrayImage& image);
void write_png(const std::filesystem::path& path, const RgbaImage& image);
// The bytes as they are, behind a header of one line.
void write_pgm(const std::filesystem::path& path, const GrayImage& image);
// As the ending says: PGM for .pgm, else PNG.
void write_picture(const std::filesystem::path& path, const GrayImage& image);

// Which libraries decode and encode, each as "JPEG by NAME VERSION".
[[nodiscard]] std::vector<std::string> picture_libraries();

}  // namespace ws
