#include "tools/scene/shapes.h"

#include "tools/scene/noise.h"

namespace still_life {
namespace {

// Of two distances: the union, with a fillet of `round`.
float joined(float a, float b, float round) {
    const float t = std::clamp(0.5f + 0.5f * (b - a) / round, 0.0f, 1.0f);
    return mix(b, a, t) - round * t * (1 - t);
}

float across(Vec p) {
    return hypot2(p.x, p.z);
}

float ellipsoid(Vec p, Vec radii) {
    const Vec scaled{p.x / radii.x, p.y / radii.y, p.z / radii.z};
    const Vec slope{scaled.x / radii.x, scaled.y / radii.y, scaled.z / radii.z};
    const float k = length(scaled);
    return k * (k - 1) / std::max(length(slope), 1e-6f);
}

float segment(Vec p, Vec a, Vec b, float radius) {
    const Vec along = b - a;
    const float t = std::clamp(dot(p - a, along) / dot(along, along), 0.0f, 1.0f);
    return length(p - a - along * t) - radius;
}

float box(Vec p, Vec half, float round) {
    const Vec q{std::abs(p.x) - half.x + round, std::abs(p.y) - half.y + round,
                std::abs(p.z) - half.z + round};
    const Vec outside{std::max(q.x, 0.0f), std::max(q.y, 0.0f), std::max(q.z, 0.0f)};
    return length(outside) + std::min(std::max({q.x, q.y, q.z}), 0.0f) - round;
}

// Part of a hollow sphere that stands on its pole: below `rim`, with a rounded edge.
float dish(Vec p, float radius, float rim, float thickness) {
    const float r = across(p);
    const float y = p.y - radius;
    const float rim_r = std::sqrt(radius * radius - (rim - radius) * (rim - radius));
    // Beyond the line from the centre through the rim, the rim is nearest.
    if (y * rim_r > r * (rim - radius)) return hypot2(r - rim_r, p.y - rim) - thickness;
    return std::abs(hypot2(r, y) - radius) - thickness;
}

}  // namespace

float bowl(Vec p) {
    const float foot = hypot2(std::max(std::abs(across(p) - 0.62f) - 0.03f, 0.0f),
                              std::max(std::abs(p.y - 0.03f) - 0.05f, 0.0f)) -
                       0.02f;
    return joined(dish(p - Vec{0, 0.09f, 0}, 1.7f, kRimHeight - 0.09f, 0.05f), foot, 0.06f);
}

float orange(Vec p) {
    const float dimple = 0.05f * std::exp(-40 * (p.x * p.x + p.z * p.z)) * (p.y > 0 ? 1.0f : 0.0f);
    return 0.9f * (ellipsoid(p, {0.47f, 0.445f, 0.47f}) + dimple);
}

float apple(Vec p) {
    const float r = across(p) / (1 + 0.16f * std::clamp(p.y, -0.5f, 0.5f));
    const float body =
        hypot2(r - 0.15f, p.y * 1.04f) - 0.33f + 0.012f * std::cos(5 * std::atan2(p.x, p.z)) * p.y;
    const float stem = segment(p, {0, 0.2f, 0}, {0.05f, 0.47f, 0.02f}, 0.018f);
    return 0.8f * std::min(body, stem);
}

float lemon(Vec p) {
    const float tip = ellipsoid(p - Vec{0.47f, 0, 0}, {0.14f, 0.09f, 0.09f});
    const float end = ellipsoid(p + Vec{0.45f, 0, 0}, {0.09f, 0.07f, 0.07f});
    return 0.8f * joined(ellipsoid(p, {0.49f, 0.355f, 0.355f}), std::min(tip, end), 0.12f);
}

float pear(Vec p) {
    const float body = joined(length(p) - 0.4f, length(p - Vec{0.03f, 0.52f, 0}) - 0.2f, 0.32f);
    return 0.85f * std::min(body, segment(p, {0.03f, 0.6f, 0}, {0.12f, 0.92f, 0.03f}, 0.02f));
}

float grape(Vec p) {
    return ellipsoid(p, {0.16f, 0.185f, 0.16f});
}

float cup(Vec p) {
    // A wall that leans out a little, a bottom, a handle.
    const float lean = 0.46f + 0.09f * p.y;
    const float y = std::clamp(p.y, 0.12f, 1.0f);
    const float wall = hypot2(across(p) - lean, p.y - y) - 0.034f;
    const float floor = hypot2(std::max(across(p) - 0.4f, 0.0f), p.y - 0.1f) - 0.05f;
    const float hx = p.x - 0.56f;
    const float hy = (p.y - 0.56f) * 0.86f;
    const float ring = hypot2(hypot2(hx, hy) - 0.26f, p.z * 0.72f) - 0.05f;
    const float handle = std::max(ring, 0.46f + 0.09f * p.y - across(p));
    return 0.85f * joined(joined(wall, floor, 0.1f), handle, 0.05f);
}

float coffee(Vec p) {
    return std::max(across(p) - 0.53f, std::abs(p.y) - 0.02f);
}

float saucer(Vec p) {
    return std::min(dish(p - Vec{0, 0.05f, 0}, 2.6f, 0.2f, 0.032f),
                    std::max(std::abs(across(p) - 0.45f) - 0.03f, std::abs(p.y - 0.04f) - 0.03f));
}

float spoon(Vec p) {
    // It lies face down, so that its bowl is a dome; the handle rises from it.
    const float dome = std::max(std::abs(ellipsoid(p, {0.34f, 0.13f, 0.22f})) - 0.012f, -p.y);
    const float t = std::clamp((p.x - 0.3f) / 1.5f, 0.0f, 1.0f);
    const float height = 0.05f + 0.16f * std::sin(t * 2.6f);
    const Vec q{std::abs(p.x - 1.05f) - 0.75f, p.y - height, std::abs(p.z) - mix(0.03f, 0.085f, t * t)};
    const Vec outside{std::max(q.x, 0.0f), std::max(std::abs(q.y) - 0.012f, 0.0f), std::max(q.z, 0.0f)};
    return 0.8f * joined(dome, length(outside) - 0.012f, 0.08f);
}

float page_height(float x) {
    const float u = std::abs(x) / kPageWidth;
    return 0.05f + (x < 0 ? 0.31f : 0.37f) * (1 - std::exp(-9 * u)) * (1 - 0.5f * u * u);
}

float book_pages(Vec p) {
    const Vec half{kPageWidth, 1, kPageLength / 2};
    const float sides = std::max({std::abs(p.x) - half.x, std::abs(p.z) - half.z, 0.04f - p.y});
    return std::max(sides, 0.55f * (p.y - page_height(p.x)));
}

float book_cover(Vec p) {
    return box(p - Vec{0, 0.025f, 0}, {kPageWidth + 0.07f, 0.025f, kPageLength / 2 + 0.07f}, 0.015f);
}

float cloth(Vec p) {
    // Folds that run out to the edges; flat under the bowl.
    const float folds = fractal({p.x * 0.9f + 3, 2, p.z * 1.1f}, 2);
    const float ridge = std::exp(-60 * (folds + 0.08f) * (folds + 0.08f));
    const float clear = step_between(0.75f, 1.7f, hypot2(p.x - 0.15f, p.z + 0.25f));
    const float height = 0.03f + clear * (0.13f * ridge + 0.05f * (folds + 0.5f));
    const float wave_x = 0.05f * std::sin(p.z * 2.6f + 1) + 0.02f * std::sin(p.z * 7);
    const float wave_z = 0.05f * std::sin(p.x * 2.2f) + 0.02f * std::sin(p.x * 6 + 2);
    const float sides = std::max(std::abs(p.x + wave_x) - kClothX, std::abs(p.z + wave_z) - kClothZ);
    return std::max(0.8f * sides, 0.6f * (p.y - height));
}

float jug(Vec p) {
    const float y = p.y;
    const float belly =
        0.42f + 0.36f * std::exp(-2.6f * (y - 0.75f) * (y - 0.75f)) + 0.12f * step_between(1.7f, 2.3f, y);
    const float body = std::abs(across(p) - belly) - 0.04f;
    const float wall = std::max({body, y - 2.25f, -y});
    const float floor = std::max(across(p) - belly, std::abs(y - 0.06f) - 0.06f);
    const float hy = (y - 1.45f) * 0.75f;
    const float ring = hypot2(hypot2(p.x + 0.62f, hy) - 0.42f, p.z) - 0.075f;
    return 0.6f * joined(std::min(wall, floor), std::max(ring, belly - across(p)), 0.08f) - 0.006f;
}

float leaf(Vec p) {
    const float bend = p.y + 0.25f * p.x * p.x - 0.35f * std::abs(p.z);
    const float width = 0.17f * std::sin(std::clamp(p.x / 0.9f, 0.0f, 1.0f) * kPi) * (1.15f - 0.6f * p.x);
    const float beyond = std::max({-p.x, p.x - 0.9f, 0.0f});
    return 0.6f * (hypot2(std::max(std::abs(p.z) - width, 0.0f), std::max(std::abs(bend) - 0.004f, beyond)) -
                   0.006f);
}

float flower(Vec p) {
    const float r = across(p);
    const float middle = ellipsoid(p - Vec{0, 0.03f, 0}, {0.13f, 0.075f, 0.13f});
    constexpr float kPetals = 15;
    const float angle = std::atan2(p.z, p.x) * kPetals / (2 * kPi);
    const float turn = (angle - std::round(angle)) * 2 * kPi / kPetals;
    const Vec q{r * std::cos(turn) - 0.28f,
                p.y - 0.12f * r * r + 0.01f * std::round(angle * 0.5f - std::floor(angle * 0.5f)),
                r * std::sin(turn)};
    return 0.6f * std::min(middle, ellipsoid(q, {0.2f, 0.016f, 0.056f}));
}

float stalk(Vec p) {
    const float bend = 0.08f * std::sin(p.y * kPi);
    return 0.8f * segment({p.x + bend, p.y, p.z}, {0, 0, 0}, {0, 1, 0}, 0.018f);
}

float walnut(Vec p) {
    const float wrinkles = 0.045f * fractal(p * 8, 3) + 0.02f * std::exp(-1200 * p.z * p.z);
    return 0.6f * (ellipsoid(p, {0.21f, 0.165f, 0.17f}) - wrinkles);
}

}  // namespace still_life
