#pragma once
// From samples to a picture file: noise taken out of the light, film, JPEG.

#include <string>
#include <vector>

#include "tools/scene/tracer.h"

namespace still_life {

struct Layers {  // a value a pixel each, rows from the top
    int width, height;
    std::vector<Vec> albedo, light, mirrored, normal;
    std::vector<float> distance;
    Layers(int w, int h);
    void add(int x, int y, const Seen& seen, float share);
    [[nodiscard]] std::size_t at(int x, int y) const {
        return std::size_t(y) * std::size_t(width) + std::size_t(x);
    }
};

// Averages the light over neighbours that lie on the same surface and are lit alike: four rounds of a kernel
// of 5 x 5 that is spread twice as wide each time (edge-avoiding a-trous wavelets, Dammertz and others 2010).
void smooth_light(Layers& layers, int threads);

// Gives `fine` the light of `coarse`, whose sides are half as long: of its pixels around, those count that
// see the same surface (joint bilateral upsampling, Kopf and others 2007).
void spread_light(const Layers& coarse, Layers& fine, int threads);

// 3 bytes a pixel: exposed, developed, with a little grain.
[[nodiscard]] std::vector<unsigned char> develop(const Layers& layers);

// As JPEG, of the highest quality of at most `largest` bytes, or of quality 50.
[[nodiscard]] std::string encode_jpeg(int width, int height, const std::vector<unsigned char>& pixels,
                                      std::size_t largest);

}  // namespace still_life
