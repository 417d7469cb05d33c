// What stands on the table: fruits, pottery, flowers.

#include "tools/scene/materials.h"
#include "tools/scene/noise.h"
#include "tools/scene/shapes.h"

namespace still_life {
namespace {

float radius_of(Vec p) {
    return hypot2(p.x, p.z);
}

// A painted line around a pot at this height, its edge a little uneven.
float line_at(Vec p, float y, float half) {
    const float uneven = 0.008f * noise(p * 6);
    return band(p.y - y + uneven, half, 0.006f);
}

Surface paint_bowl(Vec p) {
    const Vec cream{0.74f, 0.70f, 0.61f};
    const Vec blue{0.035f, 0.085f, 0.27f};
    const float outside = radius_of(p) > 0.2f && hypot2(radius_of(p), p.y - 1.79f) > 1.69f ? 1.0f : 0.0f;
    const float turn = std::atan2(p.z, p.x) / (2 * kPi);
    // Between two lines a row of lozenges.
    const float step = turn * 34 - std::floor(turn * 34) - 0.5f;
    const float lozenge = band(std::abs(step) * 0.30f + std::abs(p.y - 0.60f), 0.095f, 0.008f);
    const float inner = band(std::abs(step) * 0.30f + std::abs(p.y - 0.60f), 0.05f, 0.008f);
    float painted = std::max(
        {line_at(p, 0.79f, 0.022f), line_at(p, 0.43f, 0.015f), line_at(p, 0.37f, 0.012f), lozenge - inner});
    painted = std::max(painted * outside, line_at(p, kRimHeight + 0.03f, 0.035f));
    const float speckle = step_between(0.14f, 0.1f, cells(p * 9).distance);
    return {mix(mix(cream, Vec{0.3f, 0.2f, 0.1f}, 0.35f * speckle), blue, 0.93f * painted), 0.05f, 0.1f};
}

Surface paint_orange(Vec p) {
    const float blotch = 0.5f + fractal(p * 3, 3);
    Vec color = mix(Vec{0.82f, 0.27f, 0.02f}, Vec{0.88f, 0.36f, 0.03f}, blotch);
    color = color * (1 - 0.10f * step_between(0.4f, 0.1f, cells(p * 28).distance));
    const float eye = step_between(0.055f, 0.035f, radius_of(p)) * (p.y > 0 ? 1.0f : 0.0f);
    return {mix(color, Vec{0.12f, 0.14f, 0.03f}, eye), 0.04f, 0.3f};
}

float orange_relief(Vec p) {
    return -0.0035f * step_between(0.45f, 0.1f, cells(p * 28).distance) + 0.004f * noise(p * 9);
}

bool on_stem(Vec p) {
    return radius_of(p) < 0.075f && p.y > 0.26f;
}

Surface apple_of(Vec p, Vec ground, Vec blush, float share) {
    if (on_stem(p)) return {{0.13f, 0.075f, 0.035f}, 0.03f, 0.6f};
    const float turn = std::atan2(p.x, p.z);
    // Streaks from pole to pole on the side that saw the sun.
    const float streaks = fractal({turn * 17, p.y * 1.5f, 3}, 4) + 0.35f * fractal(p * 2.5f, 2);
    const float sunny = step_between(-0.7f, 0.6f, 0.8f * std::sin(turn + 0.6f) + 0.8f * streaks + share);
    Vec color = mix(ground, blush * (1 + 0.35f * streaks), sunny);
    color = mix(color, ground * 0.8f, step_between(0.22f, 0.08f, radius_of(p)) * (p.y > 0 ? 0.8f : 0.4f));
    const Cell dot = cells(p * 11);
    const float dots = step_between(0.13f, 0.09f, dot.distance) * (dot.id > 0.3f ? 1.0f : 0.0f);
    return {mix(color, Vec{0.75f, 0.6f, 0.34f}, 0.5f * dots), 0.045f, 0.16f};
}

Surface paint_apple(Vec p) {
    return apple_of(p, {0.66f, 0.46f, 0.09f}, {0.46f, 0.02f, 0.02f}, 0.45f);
}

Surface paint_green_apple(Vec p) {
    return apple_of(p, {0.36f, 0.47f, 0.055f}, {0.56f, 0.2f, 0.06f}, -0.75f);
}

Surface paint_lemon(Vec p) {
    const float tip = step_between(0.42f, 0.6f, std::abs(p.x));
    return {
        mix(Vec{0.86f, 0.62f, 0.05f}, Vec{0.6f, 0.55f, 0.08f}, 0.7f * tip) * (1 + 0.12f * fractal(p * 4, 2)),
        0.04f, 0.3f};
}

float lemon_relief(Vec p) {
    return -0.0035f * step_between(0.5f, 0.1f, cells(p * 20).distance) + 0.012f * noise(p * 5);
}

Surface paint_pear(Vec p) {
    if (p.y > 0.715f) return {{0.11f, 0.065f, 0.03f}, 0.03f, 0.6f};
    const float russet = step_between(0.0f, 0.5f, fractal(p * 3.5f, 4) + 0.8f * (p.y - 0.5f));
    Vec color = mix(Vec{0.57f, 0.53f, 0.1f}, Vec{0.5f, 0.29f, 0.08f}, russet);
    color = mix(color, Vec{0.25f, 0.15f, 0.05f}, 0.55f * step_between(0.2f, 0.13f, cells(p * 15).distance));
    return {color, 0.035f, 0.35f};
}

Surface paint_grape(Vec p) {
    const float bloom = step_between(-0.3f, 0.5f, fractal(p * 7, 3));
    return {mix(Vec{0.055f, 0.014f, 0.05f}, Vec{0.16f, 0.11f, 0.2f}, 0.6f * bloom), 0.04f,
            0.12f + 0.25f * bloom};
}

Surface paint_walnut(Vec p) {
    const float dark = step_between(0.1f, -0.35f, fractal(p * 9, 3));
    return {mix(Vec{0.46f, 0.29f, 0.14f}, Vec{0.17f, 0.08f, 0.03f}, dark), 0.03f, 0.5f};
}

Surface paint_cup(Vec p) {
    // Upright stripes between two lines, on the outside alone.
    const float turn = std::atan2(p.z, p.x) / (2 * kPi) * 26;
    const float stripe = band(turn - std::floor(turn) - 0.5f, 0.24f, 0.02f) * band(p.y - 0.52f, 0.3f, 0.006f);
    const float outside =
        std::abs(radius_of(p) - (0.46f + 0.09f * p.y)) < 0.05f && radius_of(p) > 0.47f + 0.09f * p.y ? 1.0f
                                                                                                     : 0.0f;
    const float painted = std::max({stripe, line_at(p, 0.87f, 0.016f), line_at(p, 0.175f, 0.016f)}) * outside;
    return {mix(Vec{0.79f, 0.76f, 0.70f}, Vec{0.02f, 0.17f, 0.18f}, 0.95f * painted), 0.05f, 0.08f};
}

Surface paint_coffee(Vec p) {
    // A little foam at the wall.
    const float foam = step_between(0.44f, 0.53f, radius_of(p) + 0.05f * fractal(p * 8, 3));
    return {mix(Vec{0.022f, 0.009f, 0.004f}, Vec{0.36f, 0.2f, 0.09f}, 0.8f * foam), 0.03f,
            0.03f + 0.3f * foam};
}

Surface paint_saucer(Vec p) {
    const float rings =
        std::max(band(radius_of(p) - 0.92f, 0.025f, 0.006f), band(radius_of(p) - 0.84f, 0.01f, 0.006f));
    return {mix(Vec{0.79f, 0.76f, 0.70f}, Vec{0.02f, 0.17f, 0.18f}, 0.95f * rings), 0.05f, 0.08f};
}

Surface paint_silver(Vec /*p*/) {
    return {{0.86f, 0.83f, 0.78f}, 0.9f, 0.09f, true};
}

float silver_relief(Vec p) {
    return 0.0008f * noise({p.x * 30, p.y * 30, p.z * 30});
}

Surface paint_jug(Vec p) {
    // A glaze that ran: dark below, light where it is thin; bare clay at the foot.
    const float run = fractal({std::atan2(p.z, p.x) * 3, p.y * 0.8f, 2}, 3);
    const Vec glaze =
        mix(Vec{0.02f, 0.105f, 0.13f}, Vec{0.09f, 0.29f, 0.28f}, step_between(0.6f, 1.9f, p.y + 0.7f * run));
    const float bare = step_between(0.3f, 0.27f, p.y + 0.12f * run);
    if (bare > 0.5f) return {Vec{0.40f, 0.2f, 0.11f} * (1 + 0.3f * fractal(p * 9, 3)), 0.03f, 0.7f};
    return {mix(glaze, Vec{0.4f, 0.25f, 0.12f}, 0.7f * line_at(p, 2.23f, 0.03f)), 0.055f, 0.07f};
}

float jug_relief(Vec p) {
    return 0.006f * std::sin(p.y * 38) + 0.01f * noise(p * 2);  // the potter's fingers
}

Surface paint_leaf(Vec p) {
    const float rib = band(p.z, 0.008f, 0.008f);
    const float side = band(std::sin((p.x * 1.3f - std::abs(p.z)) * 40), 0.12f, 0.15f);
    const Vec green = mix(Vec{0.055f, 0.145f, 0.03f}, Vec{0.12f, 0.24f, 0.045f}, 0.5f + fractal(p * 5, 2));
    return {mix(green, Vec{0.25f, 0.36f, 0.12f}, std::max(rib, 0.35f * side)), 0.04f, 0.35f};
}

Surface paint_flower(Vec p) {
    if (radius_of(p) < 0.13f && p.y > -0.05f) {
        const float seeds = step_between(0.5f, 0.2f, cells(p * 40).distance);
        return {mix(Vec{0.5f, 0.24f, 0.01f}, Vec{0.84f, 0.55f, 0.03f}, seeds), 0.02f, 0.8f};
    }
    const float turn = std::atan2(p.z, p.x) * 60;
    return {Vec{0.84f, 0.82f, 0.78f} * (1 - 0.07f * std::sin(turn)) *
                mix(0.82f, 1.0f, step_between(0.12f, 0.3f, radius_of(p))),
            0.03f, 0.6f};
}

Surface paint_stalk(Vec /*p*/) {
    return {{0.12f, 0.21f, 0.05f}, 0.03f, 0.5f};
}

}  // namespace

const Material kBowl{paint_bowl};
const Material kOrange{paint_orange, orange_relief};
const Material kApple{paint_apple};
const Material kGreenApple{paint_green_apple};
const Material kLemon{paint_lemon, lemon_relief};
const Material kPear{paint_pear};
const Material kGrape{paint_grape};
const Material kWalnut{paint_walnut};
const Material kCup{paint_cup};
const Material kCoffee{paint_coffee};
const Material kSaucer{paint_saucer};
const Material kSilver{paint_silver, silver_relief};
const Material kJug{paint_jug, jug_relief};
const Material kLeaf{paint_leaf};
const Material kFlower{paint_flower};
const Material kStalk{paint_stalk};

}  // namespace still_life
