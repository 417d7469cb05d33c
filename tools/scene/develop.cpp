#include <cstdio>
// After <cstdio>, which it needs.
#include <jpeglib.h>

#include <cstdlib>

#include "tools/scene/noise.h"
#include "tools/scene/picture.h"

namespace still_life {
namespace {

constexpr float kExposure = 1.1f;

// Film: shadows lifted a little, a straight middle, a long shoulder; then the screen's gamma.
float developed(float light) {
    const float shoulder = 1 - std::exp(-kExposure * light);
    const float value = std::pow(shoulder, 1 / 2.2f);
    return mix(value, step_between(0, 1, value), 0.36f);
}

// Grain is finer than what it covers, strongest in the middle tones.
float grain(int x, int y, float value) {
    const float speck = hash_of(x, y, 1) + hash_of(x, y, 2) + hash_of(x, y, 3) - 1.5f;
    return 0.008f * speck * std::sqrt(std::max(value * (1 - value), 0.0f)) * 2;
}

std::string encoded(int width, int height, const std::vector<unsigned char>& pixels, int quality) {
    jpeg_compress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);  // ends the program, with a message
    jpeg_create_compress(&jpeg);
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = JDIMENSION(width);
    jpeg.image_height = JDIMENSION(height);
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, quality, TRUE);
    jpeg.optimize_coding = TRUE;
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height) {
        // The library does not write to it.
        auto* row = const_cast<JSAMPLE*>(&pixels[std::size_t(jpeg.next_scanline) * std::size_t(width) * 3]);
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    std::string file(reinterpret_cast<const char*>(bytes), size);
    std::free(bytes);
    return file;
}

}  // namespace

Layers::Layers(int w, int h) : width(w), height(h) {
    const std::size_t pixels = std::size_t(w) * std::size_t(h);
    for (std::vector<Vec>* plane : {&albedo, &light, &mirrored, &normal}) plane->resize(pixels);
    distance.resize(pixels);
}

void Layers::add(int x, int y, const Seen& seen, float share) {
    const std::size_t i = at(x, y);
    albedo[i] += seen.albedo * share;
    light[i] += seen.light * share;
    mirrored[i] += seen.mirrored * share;
    normal[i] += seen.normal * share;
    distance[i] += seen.distance * share;
}

std::vector<unsigned char> develop(const Layers& layers) {
    std::vector<unsigned char> bytes;
    bytes.reserve(layers.albedo.size() * 3);
    for (int y = 0; y < layers.height; ++y) {
        for (int x = 0; x < layers.width; ++x) {
            const std::size_t i = layers.at(x, y);
            const float u = 2 * float(x) / float(layers.width) - 1;
            const float v = 2 * float(y) / float(layers.height) - 1;
            const float corner = 1 - 0.16f * (u * u + v * v);  // lenses darken there
            const Vec color = (layers.albedo[i] * layers.light[i] + layers.mirrored[i]) * corner;
            for (const float channel : {color.x, color.y, color.z}) {
                const float value = developed(std::max(channel, 0.0f));
                const float level = 255 * (value + grain(x, y, value));
                bytes.push_back(static_cast<unsigned char>(std::clamp(level + 0.5f, 0.0f, 255.0f)));
            }
        }
    }
    return bytes;
}

std::string encode_jpeg(int width, int height, const std::vector<unsigned char>& pixels,
                        std::size_t largest) {
    int good = 50;
    for (int low = good, high = 95; low <= high;) {
        const int quality = (low + high) / 2;
        if (encoded(width, height, pixels, quality).size() <= largest) {
            good = quality;
            low = quality + 1;
        } else {
            high = quality - 1;
        }
    }
    return encoded(width, height, pixels, good);
}

}  // namespace still_life
