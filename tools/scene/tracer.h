#pragma once
// Light's way from the window to the camera: a path tracer.

#include "tools/scene/noise.h"
#include "tools/scene/world.h"

namespace still_life {

// What one sample of a pixel saw. Its colour is albedo * light + mirrored: kept apart, because the noise is
// in the light and the fine detail in the albedo.
struct Seen {
    Vec albedo;
    Vec light;
    Vec mirrored;
    Vec normal;
    float distance = 0;
};

[[nodiscard]] Seen see(const World& world, const Ray& ray, Sampler& sampler);

// The same without light and mirrored, which take nearly all of the time.
[[nodiscard]] Seen see_surface(const World& world, const Ray& ray);

// A ray through a place of the picture, -1..1 across and down, from somewhere on the lens.
[[nodiscard]] Ray camera_ray(float x, float y, float aspect, Sampler::Pair on_lens);

}  // namespace still_life
