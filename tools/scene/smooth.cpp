#include <array>
#include <cstdlib>
#include <utility>

#include "tools/scene/parallel.h"
#include "tools/scene/picture.h"

namespace still_life {
namespace {

constexpr int kRounds = 4;
constexpr std::array kTaps{0.375f, 0.25f, 0.0625f};  // from the middle outwards

// How much two pixels belong to one surface.
float alike(const Layers& one, std::size_t a, const Layers& other, std::size_t b) {
    const float facing = dot(one.normal[a], other.normal[b]);
    if (facing <= 0.8f) return 0;
    const float apart = std::abs(one.distance[a] - other.distance[b]) / one.distance[a];
    return std::pow(facing, 48.0f) * std::exp(-apart * 150);
}

// `tolerance`: of the brightness, relative.
Vec averaged(const Layers& layers, const std::vector<Vec>& from, int x, int y, int spread, float tolerance) {
    const std::size_t middle = layers.at(x, y);
    const float here = luminance(from[middle]);
    Vec sum;
    float weights = 0;
    for (int j = -2; j <= 2; ++j) {
        for (int i = -2; i <= 2; ++i) {
            const int u = std::clamp(x + i * spread, 0, layers.width - 1);
            const int v = std::clamp(y + j * spread, 0, layers.height - 1);
            const std::size_t other = layers.at(u, v);
            const float there = luminance(from[other]);
            const float off = (there - here) / (tolerance * (0.5f * (there + here) + 0.03f));
            const float weight = kTaps[std::size_t(std::abs(i))] * kTaps[std::size_t(std::abs(j))] *
                                 std::exp(-off * off) *
                                 (other == middle ? 1.0f : alike(layers, middle, layers, other));
            sum += from[other] * weight;
            weights += weight;
        }
    }
    return sum * (1 / weights);
}

void smooth(const Layers& layers, std::vector<Vec>& plane, float tolerance, int threads) {
    std::vector<Vec> next(plane.size());
    for (int round = 0; round < kRounds; ++round, tolerance *= 0.6f) {
        for_each_row(layers.height, threads, [&](int y) {
            for (int x = 0; x < layers.width; ++x)
                next[layers.at(x, y)] = averaged(layers, plane, x, y, 1 << round, tolerance);
        });
        std::swap(plane, next);
    }
}

// The pixel's share of the light around it; `strict`: of what sees the same surface alone.
float spread_pixel(const Layers& coarse, Layers& fine, int x, int y, bool strict) {
    const float u = (float(x) + 0.5f) / 2 - 0.5f;
    const float v = (float(y) + 0.5f) / 2 - 0.5f;
    const std::size_t i = fine.at(x, y);
    Vec light;
    Vec mirrored;
    float weights = 0;
    for (int b = int(std::floor(v)) - 1; b <= int(std::floor(v)) + 2; ++b) {
        for (int a = int(std::floor(u)) - 1; a <= int(std::floor(u)) + 2; ++a) {
            if (a < 0 || b < 0 || a >= coarse.width || b >= coarse.height) continue;
            const std::size_t other = coarse.at(a, b);
            const float near =
                std::exp(-1.8f * ((float(a) - u) * (float(a) - u) + (float(b) - v) * (float(b) - v)));
            const float weight = near * (strict ? alike(fine, i, coarse, other) : 1);
            light += coarse.light[other] * weight;
            mirrored += coarse.mirrored[other] * weight;
            weights += weight;
        }
    }
    if (weights > 0) {
        fine.light[i] = light * (1 / weights);
        fine.mirrored[i] = mirrored * (1 / weights);
    }
    return weights;
}

}  // namespace

void spread_light(const Layers& coarse, Layers& fine, int threads) {
    for_each_row(fine.height, threads, [&](int y) {
        for (int x = 0; x < fine.width; ++x) {
            if (spread_pixel(coarse, fine, x, y, true) < 1e-3f) spread_pixel(coarse, fine, x, y, false);
        }
    });
}

void smooth_light(Layers& layers, int threads) {
    smooth(layers, layers.light, 0.9f, threads);
    smooth(layers, layers.mirrored, 0.7f, threads);
}

}  // namespace still_life
