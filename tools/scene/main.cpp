// render_scene [--size 3648x2736] [--samples 16] [--surface-samples 8] [--threads 1] [--bytes 990000]
//              [--output scene.jpg]
//
// Draws the built-in picture, assets/scene.jpg: a still life in window light, by path tracing. The same
// picture every time with the same compiler and C library. Samples are a power of two.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

#include "tools/scene/parallel.h"
#include "tools/scene/picture.h"
#include "tools/scene/tracer.h"

namespace still_life {
namespace {

struct Options {
    int width = 3648, height = 2736;
    int samples = 16;         // of the light, at half the resolution
    int surface_samples = 8;  // of colour and shape
    int threads = 1;
    int bytes = 990000;  // of the file, at most
    std::string output = "scene.jpg";
};

Options options_of(int count, char** words) {
    Options options;
    if (count % 2 == 0) throw std::runtime_error("each option takes a value; see the head of main.cpp");
    for (int i = 1; i + 1 < count; i += 2) {
        const std::string name = words[i];
        char* end = words[i + 1];
        const int value = int(std::strtol(words[i + 1], &end, 10));
        if (name == "--output") {
            options.output = words[i + 1];
        } else if (name == "--size" && *end == 'x') {
            options.width = value;
            options.height = std::atoi(end + 1);
        } else if (int* field = name == "--samples"           ? &options.samples
                                : name == "--surface-samples" ? &options.surface_samples
                                : name == "--threads"         ? &options.threads
                                : name == "--bytes"           ? &options.bytes
                                                              : nullptr) {
            *field = value;
        } else {
            throw std::runtime_error("unknown option " + name);
        }
    }
    const auto power_of_two = [](int n) { return n > 0 && (n & (n - 1)) == 0; };
    if (options.width < 1 || options.height < 1 || !power_of_two(options.samples) ||
        !power_of_two(options.surface_samples))
        throw std::runtime_error("a size is like 640x480, samples are a power of two");
    return options;
}

// Calls look(ray, sampler) for every sample of every pixel, and averages what it saw.
template <typename Look>
Layers looked(int width, int height, int samples, int threads, const char* what, const Look& look) {
    Layers layers(width, height);
    const float aspect = float(width) / float(height);
    std::atomic<int> done{0};
    for_each_row(height, threads, [&](int y) {
        for (int x = 0; x < width; ++x) {
            for (int index = 0; index < samples; ++index) {
                Sampler sampler(mixed(std::uint32_t(y) * 65536 + std::uint32_t(x)), index, samples);
                const Sampler::Pair in_pixel = sampler.next();
                const float u = 2 * (float(x) + in_pixel.u) / float(width) - 1;
                const float v = 2 * (float(y) + in_pixel.v) / float(height) - 1;
                const Ray ray = camera_ray(u, v, aspect, sampler.next());
                layers.add(x, y, look(ray, sampler), 1 / float(samples));
            }
        }
        if (++done % 100 == 0) std::fprintf(stderr, "%s: %d of %d rows\n", what, done.load(), height);
    });
    return layers;
}

void render(const Options& options) {
    const World world;
    // Light changes slowly from place to place and takes long; colour and shape are quick to see.
    Layers coarse =
        looked((options.width + 1) / 2, (options.height + 1) / 2, options.samples, options.threads, "light",
               [&](const Ray& ray, Sampler& sampler) { return see(world, ray, sampler); });
    smooth_light(coarse, options.threads);
    Layers fine = looked(options.width, options.height, options.surface_samples, options.threads, "surfaces",
                         [&](const Ray& ray, Sampler&) { return see_surface(world, ray); });
    spread_light(coarse, fine, options.threads);
    std::ofstream file(options.output, std::ios::binary);
    file << encode_jpeg(options.width, options.height, develop(fine), std::size_t(options.bytes));
    if (!file.flush()) throw std::runtime_error("cannot write " + options.output);
}

}  // namespace
}  // namespace still_life

int main(int count, char** words) {
    try {
        still_life::render(still_life::options_of(count, words));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "render_scene: error: %s\n", error.what());
        return 1;
    }
    return 0;
}
