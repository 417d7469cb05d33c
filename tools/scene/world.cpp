#include "tools/scene/world.h"

#include "tools/scene/arrangement.h"

namespace still_life {
namespace {

constexpr Box kTableTop{{-9, 0, -4.6f}, {9, 0, 8}};
constexpr Box kBackWall{{-12, -9, -6.2f}, {14, 15, -6.2f}};
constexpr float kNear = 4e-4f;  // decimetres: nearer is hit

struct Span {
    float from, to;
};

Span through(const Box& box, const Ray& ray) {
    const auto axis = [](float low, float high, float from, float way, Span& span) {
        const float inverse = 1 / (std::abs(way) > 1e-9f ? way : 1e-9f);
        const float a = (low - from) * inverse;
        const float b = (high - from) * inverse;
        span.from = std::max(span.from, std::min(a, b));
        span.to = std::min(span.to, std::max(a, b));
    };
    Span span{0, 1e9f};
    axis(box.low.x, box.high.x, ray.origin.x, ray.way.x, span);
    axis(box.low.y, box.high.y, ray.origin.y, ray.way.y, span);
    axis(box.low.z, box.high.z, ray.origin.z, ray.way.z, span);
    return span;
}

Vec local_of(const Thing& thing, Vec point) {
    return thing.frame.into(point - thing.place) * (1 / thing.scale);
}

// Where the ray meets the thing before `limit`: steps as long as the distance allows.
std::optional<float> march(const Thing& thing, const Ray& ray, float limit) {
    const Ray local{local_of(thing, ray.origin), thing.frame.into(ray.way)};
    const Span span = through(thing.bounds, local);
    const float end = std::min(span.to, limit / thing.scale);
    float at = span.from;
    for (int step = 0; step < 120 && at < end; ++step) {
        const float distance = thing.shape(local.origin + local.way * at);
        if (distance < kNear) return at * thing.scale;
        at += std::max(distance, kNear);
    }
    return std::nullopt;
}

Vec slope(Shape shape, Vec p) {
    constexpr float kStep = 1.5e-3f;
    // Four corners of a cube, not six neighbours: as good, and cheaper.
    Vec sum;
    for (const Vec corner : {Vec{1, -1, -1}, Vec{-1, -1, 1}, Vec{-1, 1, -1}, Vec{1, 1, 1}})
        sum += corner * shape(p + corner * kStep);
    return normalized(sum);
}

std::optional<float> meet_table(const Ray& ray) {
    if (ray.way.y >= 0 || ray.origin.y <= 0) return std::nullopt;
    const float t = -ray.origin.y / ray.way.y;
    const Vec p = ray.origin + ray.way * t;
    const bool on =
        p.x > kTableTop.low.x && p.x < kTableTop.high.x && p.z > kTableTop.low.z && p.z < kTableTop.high.z;
    return on ? std::optional(t) : std::nullopt;
}

std::optional<float> meet_wall(const Ray& ray) {
    if (ray.way.z >= 0 || ray.origin.z <= kBackWall.low.z) return std::nullopt;
    const float t = (kBackWall.low.z - ray.origin.z) / ray.way.z;
    const Vec p = ray.origin + ray.way * t;
    const bool on =
        p.x > kBackWall.low.x && p.x < kBackWall.high.x && p.y > kBackWall.low.y && p.y < kBackWall.high.y;
    return on ? std::optional(t) : std::nullopt;
}

}  // namespace

World::World() {
    for (std::vector<Thing>& things : arrangement()) add(std::move(things));
}

void World::add(std::vector<Thing> things) {
    Box all{{1e9f, 1e9f, 1e9f}, {-1e9f, -1e9f, -1e9f}};
    for (const Thing& thing : things) {
        for (int corner = 0; corner < 8; ++corner) {
            const Vec local{corner & 1 ? thing.bounds.low.x : thing.bounds.high.x,
                            corner & 2 ? thing.bounds.low.y : thing.bounds.high.y,
                            corner & 4 ? thing.bounds.low.z : thing.bounds.high.z};
            const Vec p = thing.place + thing.frame.out(local * thing.scale);
            all.low = {std::min(all.low.x, p.x), std::min(all.low.y, p.y), std::min(all.low.z, p.z)};
            all.high = {std::max(all.high.x, p.x), std::max(all.high.y, p.y), std::max(all.high.z, p.z)};
        }
    }
    groups_.push_back({all, std::move(things)});
}

std::optional<Hit> World::meet(const Ray& ray) const {
    float nearest = 1e9f;
    const Material* material = nullptr;
    const Thing* found = nullptr;
    Vec normal;
    if (const std::optional<float> t = meet_table(ray)) {
        nearest = *t;
        material = &kTable;
        normal = {0, 1, 0};
    }
    if (const std::optional<float> t = meet_wall(ray); t && *t < nearest) {
        nearest = *t;
        material = &kWall;
        normal = {0, 0, 1};
    }
    for (const Group& group : groups_) {
        const Span span = through(group.bounds, ray);
        if (span.from > std::min(span.to, nearest)) continue;
        for (const Thing& thing : group.things) {
            if (const std::optional<float> t = march(thing, ray, nearest)) {
                nearest = *t;
                found = &thing;
            }
        }
    }
    const Vec point = ray.origin + ray.way * nearest;
    if (found) {
        const Vec local = local_of(*found, point);
        normal = found->frame.out(slope(found->shape, local));
        if (dot(normal, ray.way) > 0) normal = -normal;
        return Hit{nearest, point, normal, local, found->material, found};
    }
    if (!material) return std::nullopt;
    return Hit{nearest, point, normal, point, material, nullptr};
}

bool World::blocked(const Ray& ray, float up_to) const {
    if (const std::optional<float> t = meet_table(ray); t && *t < up_to) return true;
    if (const std::optional<float> t = meet_wall(ray); t && *t < up_to) return true;
    for (const Group& group : groups_) {
        const Span span = through(group.bounds, ray);
        if (span.from > std::min(span.to, up_to)) continue;
        for (const Thing& thing : group.things) {
            if (march(thing, ray, up_to)) return true;
        }
    }
    return false;
}

}  // namespace still_life
