#pragma once
// The light: a window in the left wall, the sun through it, the sky in it, and the room around.

#include "tools/scene/noise.h"
#include "tools/scene/world.h"

namespace still_life {

// What a dull surface of this normal receives straight from window and sun, divided by pi: times its albedo,
// it is what the surface sends back. `sun` alone, for highlights: what comes from `sun_way`.
struct Received {
    Vec all;
    Vec sun;
    Vec sun_way;
};
[[nodiscard]] Received received(const World& world, Vec point, Vec normal, Sampler& sampler);

// What comes from outside the world along a ray; without the window where it was counted already.
[[nodiscard]] Vec room(const Ray& ray, bool with_window);

}  // namespace still_life
