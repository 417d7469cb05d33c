#include "tools/scene/light.h"

namespace still_life {
namespace {

constexpr float kWindowX = -12;
constexpr float kLowY = 2.2f, kHighY = 11.2f;
constexpr float kLowZ = -4.2f, kHighZ = 8.4f;
constexpr float kBar = 0.2f;  // half a glazing bar
constexpr int kRows = 3, kColumns = 4;
constexpr float kSunRadius = 0.012f;  // larger than the true 0.0047: a hazy day

const Vec kToSun = normalized({-0.80f, 0.43f, 0.24f});
constexpr Vec kSun{10.5f, 8.3f, 5.5f};
constexpr Vec kSky{3.6f, 4.3f, 5.2f};

bool in_window(float y, float z) {
    return y > kLowY && y < kHighY && z > kLowZ && z < kHighZ;
}

// Not behind one of the glazing bars.
bool in_pane(float y, float z) {
    if (!in_window(y, z)) return false;
    const float row = (y - kLowY) / (kHighY - kLowY) * kRows;
    const float column = (z - kLowZ) / (kHighZ - kLowZ) * kColumns;
    const float off_row = std::abs(row - std::round(row)) * (kHighY - kLowY) / kRows;
    const float off_column = std::abs(column - std::round(column)) * (kHighZ - kLowZ) / kColumns;
    return off_row > kBar && off_column > kBar;
}

Vec sky_at(float y, float z) {
    // Brighter above; trees below.
    const float trees = 4.1f + 0.9f * noise({z * 0.7f, 3, 1}) + 0.4f * noise({z * 2.6f, 5, 1});
    const Vec open = kSky * (0.8f + 0.05f * y);
    return mix(Vec{0.9f, 1.1f, 0.55f}, open, step_between(trees - 0.3f, trees + 0.3f, y));
}

}  // namespace

Received received(const World& world, Vec point, Vec normal, Sampler& sampler) {
    Received light;
    const Vec start = point + normal * 2.5e-3f;
    // The sun, somewhere on its disk.
    const Sampler::Pair on_disk = sampler.next();
    const Frame sun_frame = frame_around(kToSun);
    const float r = kSunRadius * std::sqrt(on_disk.u);
    const float angle = 2 * kPi * on_disk.v;
    light.sun_way =
        normalized(kToSun + sun_frame.x * (r * std::cos(angle)) + sun_frame.z * (r * std::sin(angle)));
    const float sun_cosine = dot(normal, light.sun_way);
    const float to_window = (kWindowX - start.x) / light.sun_way.x;
    const Vec at = start + light.sun_way * to_window;
    if (sun_cosine > 0 && in_pane(at.y, at.z) && !world.blocked({start, light.sun_way}, to_window)) {
        light.sun = kSun;
        light.all = kSun * (sun_cosine / kPi);
    }
    // The sky, somewhere in the window.
    const Sampler::Pair on_window = sampler.next();
    const Vec pane{kWindowX, mix(kLowY, kHighY, on_window.u), mix(kLowZ, kHighZ, on_window.v)};
    const Vec way = pane - start;
    const float squared = dot(way, way);
    const float distance = std::sqrt(squared);
    const float cosine = dot(normal, way) / distance;
    if (cosine > 0 && in_pane(pane.y, pane.z)) {
        const float at_window = -way.x / distance;
        const float area = (kHighY - kLowY) * (kHighZ - kLowZ);
        const float share = cosine * at_window * area / (squared * kPi);
        if (!world.blocked({start, way * (1 / distance)}, distance))
            light.all += sky_at(pane.y, pane.z) * share;
    }
    return light;
}

Vec room(const Ray& ray, bool with_window) {
    if (ray.way.x < 0) {
        const float t = (kWindowX - ray.origin.x) / ray.way.x;
        const float y = ray.origin.y + ray.way.y * t;
        const float z = ray.origin.z + ray.way.z * t;
        if (in_window(y, z)) {
            if (!in_pane(y, z)) return {0.25f, 0.24f, 0.22f};
            return with_window ? sky_at(y, z) : Vec{};
        }
    }
    // Walls and ceiling of a warm white, the brighter the nearer to the sun's patches; darker below.
    const float up = step_between(-0.4f, 0.8f, ray.way.y);
    const float right = step_between(-0.8f, 0.9f, ray.way.x);
    return mix(Vec{0.16f, 0.11f, 0.07f}, Vec{0.52f, 0.47f, 0.39f}, up) * (0.45f + 0.5f * right);
}

}  // namespace still_life
