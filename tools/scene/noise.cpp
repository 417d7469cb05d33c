#include "tools/scene/noise.h"

namespace still_life {

std::uint32_t mixed(std::uint32_t bits) {
    bits = (bits ^ (bits >> 16)) * 0x7feb352du;
    bits = (bits ^ (bits >> 15)) * 0x846ca68bu;
    return bits ^ (bits >> 16);
}

namespace {

constexpr float kUnit = 1.0f / 16777216;  // of 24 bits

std::uint32_t lattice(int x, int y, int z) {
    return mixed(std::uint32_t(x) * 0x9e3779b1u ^
                 mixed(std::uint32_t(y) * 0x85ebca77u ^ std::uint32_t(z) * 0xc2b2ae3du));
}

float fade(float t) {
    return t * t * t * (t * (t * 6 - 15) + 10);
}

}  // namespace

float hash_of(int x, int y, int z) {
    return float(lattice(x, y, z) >> 8) * kUnit;
}

float noise(Vec p) {
    const int x = int(std::floor(p.x));
    const int y = int(std::floor(p.y));
    const int z = int(std::floor(p.z));
    const float u = fade(p.x - float(x));
    const float v = fade(p.y - float(y));
    const float w = fade(p.z - float(z));
    const auto row = [&](int dy, int dz) {
        return mix(hash_of(x, y + dy, z + dz), hash_of(x + 1, y + dy, z + dz), u);
    };
    return 2 * mix(mix(row(0, 0), row(1, 0), v), mix(row(0, 1), row(1, 1), v), w) - 1;
}

float fractal(Vec p, int octaves) {
    float sum = 0;
    float strength = 0.5f;
    for (int octave = 0; octave < octaves; ++octave, strength *= 0.5f) {
        sum += strength * noise(p);
        p = p * 2.03f + Vec{17.1f, 31.7f, 5.3f};
    }
    return sum;
}

Cell cells(Vec p) {
    const int x = int(std::floor(p.x));
    const int y = int(std::floor(p.y));
    const int z = int(std::floor(p.z));
    Cell nearest{4, 0};
    for (int i = x - 1; i <= x + 1; ++i) {
        for (int j = y - 1; j <= y + 1; ++j) {
            for (int k = z - 1; k <= z + 1; ++k) {
                const std::uint32_t bits = lattice(i, j, k);
                const Vec point{float(i) + float(bits & 1023) / 1023,
                                float(j) + float(bits >> 10 & 1023) / 1023,
                                float(k) + float(bits >> 20 & 1023) / 1023};
                const Vec way = p - point;
                const float squared = dot(way, way);
                if (squared < nearest.distance) nearest = {squared, float(mixed(bits) >> 8) * kUnit};
            }
        }
    }
    return {std::sqrt(nearest.distance), nearest.id};
}

Sampler::Pair Sampler::next() {
    const std::uint32_t bits = mixed(pixel_ ^ mixed(++pair_));
    // The steps of the two-dimensional golden ratio, the root of x^3 = x + 1.
    const auto order = float((std::uint32_t(index_) ^ bits) & std::uint32_t(count_ - 1));
    const float u = order * 0.75487767f + float(mixed(bits) >> 8) * kUnit;
    const float v = order * 0.56984029f + float(mixed(bits + 1) >> 8) * kUnit;
    return {u - std::floor(u), v - std::floor(v)};
}

}  // namespace still_life
