#pragma once
// Noise that is a function of the place, and random numbers of a sample.

#include <cstdint>

#include "tools/scene/vec.h"

namespace still_life {

[[nodiscard]] std::uint32_t mixed(std::uint32_t bits);
[[nodiscard]] float hash_of(int x, int y, int z = 0);  // in 0..1

// Smooth, in -1..1, about one bump a unit.
[[nodiscard]] float noise(Vec p);
// `octaves` of it, each twice as fine and half as strong; about -1..1.
[[nodiscard]] float fractal(Vec p, int octaves);
// The distance to the nearest of points that lie about one a unit, 0..1 and a little more; `id` says which.
struct Cell {
    float distance;
    float id;  // in 0..1
};
[[nodiscard]] Cell cells(Vec p);

// Samples of one pixel that spread evenly in each pair of dimensions: a lattice of two irrational steps,
// moved and put into another order for every pixel and pair.
class Sampler {
  public:
    Sampler(std::uint32_t pixel, int index, int count) : pixel_(pixel), index_(index), count_(count) {}
    struct Pair {
        float u, v;
    };
    [[nodiscard]] Pair next();

  private:
    std::uint32_t pixel_;
    int index_;
    int count_;  // a power of two
    std::uint32_t pair_ = 0;
};

}  // namespace still_life
