#pragma once
// What things are made of: their colour, how they mirror, and how rough they are, at each place in the
// object's own frame.

#include "tools/scene/vec.h"

namespace still_life {

struct Surface {
    Vec albedo;
    float mirrored = 0.04f;  // how much of what comes straight down is mirrored, by the coat or the metal
    float roughness = 0.3f;  // of what is mirrored: 0 a mirror, 1 dull
    bool metal = false;      // mirrors in its colour, and does nothing else
};

struct Material {
    Surface (*paint)(Vec p);
    // How high the fine structure is, decimetres; null: smooth. It bends the normal.
    float (*relief)(Vec p) = nullptr;
};

extern const Material kTable, kWall;
extern const Material kBowl, kOrange, kApple, kGreenApple, kLemon, kPear, kGrape, kWalnut;
extern const Material kCup, kCoffee, kSaucer, kSilver, kJug;
extern const Material kPages, kCover, kCloth, kLeaf, kFlower, kStalk;

}  // namespace still_life
