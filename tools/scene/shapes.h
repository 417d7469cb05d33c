#pragma once
// Shapes as distance functions: how far a point is from the surface, negative inside, never more than the
// true distance by much. Decimetres, in the object's own frame: y is up, 0 is where it stands.

#include "tools/scene/vec.h"

namespace still_life {

using Shape = float (*)(Vec p);

float bowl(Vec p);
float orange(Vec p);  // fruits: the middle is the origin
float apple(Vec p);
float lemon(Vec p);
float pear(Vec p);
float grape(Vec p);
float cup(Vec p);
float coffee(Vec p);
float saucer(Vec p);
float spoon(Vec p);
float book_pages(Vec p);
float book_cover(Vec p);
float cloth(Vec p);
float jug(Vec p);
float leaf(Vec p);    // from the origin along x
float flower(Vec p);  // in the middle of its head, looking up
float stalk(Vec p);   // of one decimetre, from the origin up
float walnut(Vec p);

// How high the pages of the open book are, x across from its spine.
float page_height(float x);

inline constexpr float kPageWidth = 1.5f;
inline constexpr float kPageLength = 2.1f;
inline constexpr float kClothX = 2.35f;  // half sides of the cloth
inline constexpr float kClothZ = 1.75f;
inline constexpr float kRimHeight = 0.95f;  // of the bowl

}  // namespace still_life
