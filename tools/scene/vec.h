#pragma once
// Points, directions and colours: three floats.

#include <algorithm>
#include <cmath>

namespace still_life {

inline constexpr float kPi = 3.14159265f;

struct Vec {
    float x = 0, y = 0, z = 0;
    Vec& operator+=(Vec b) { return *this = {x + b.x, y + b.y, z + b.z}; }
};

inline Vec operator+(Vec a, Vec b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec operator-(Vec a, Vec b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec operator-(Vec a) {
    return {-a.x, -a.y, -a.z};
}
inline Vec operator*(Vec a, Vec b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z};
}
inline Vec operator*(Vec a, float s) {
    return {a.x * s, a.y * s, a.z * s};
}
inline float dot(Vec a, Vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vec cross(Vec a, Vec b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline float length(Vec a) {
    return std::sqrt(dot(a, a));
}
inline Vec normalized(Vec a) {
    return a * (1 / std::max(length(a), 1e-12f));
}
inline Vec mix(Vec a, Vec b, float part) {
    return a + (b - a) * part;
}
inline float mix(float a, float b, float part) {
    return a + (b - a) * part;
}
inline float luminance(Vec c) {
    return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
}
inline float hypot2(float x, float y) {
    return std::sqrt(x * x + y * y);
}
// 0 below `from`, 1 above `to`, smooth between; `from` may be the larger.
inline float step_between(float from, float to, float x) {
    const float t = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}
// 1 inside |x| < half, falling to 0 within `soft`.
inline float band(float x, float half, float soft) {
    return step_between(half + soft, half, std::abs(x));
}

// Three directions at right angles: those of an object, or of a surface.
struct Frame {
    Vec x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    [[nodiscard]] Vec into(Vec v) const { return {dot(v, x), dot(v, y), dot(v, z)}; }
    [[nodiscard]] Vec out(Vec v) const { return x * v.x + y * v.y + z * v.z; }
};

// The frame whose y is `up`.
inline Frame frame_around(Vec up) {
    const Vec x = normalized(cross(std::abs(up.x) < 0.9f ? Vec{1, 0, 0} : Vec{0, 0, 1}, up));
    return {x, up, cross(x, up)};
}

// Turned around the upright axis, then leaned over towards its own x.
inline Frame turned(float yaw, float lean = 0) {
    const Vec x{std::cos(yaw), 0, -std::sin(yaw)};
    const Vec z{std::sin(yaw), 0, std::cos(yaw)};
    const Vec y{0, 1, 0};
    return {x * std::cos(lean) - y * std::sin(lean), y * std::cos(lean) + x * std::sin(lean), z};
}

}  // namespace still_life
