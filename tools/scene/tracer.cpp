#include "tools/scene/tracer.h"

#include "tools/scene/light.h"

namespace still_life {
namespace {

constexpr int kBounces = 2;       // of light between dull surfaces
constexpr float kNothing = 100;   // the distance of what lies outside the world
constexpr float kBrightest = 12;  // of one sample's mirrored light: beyond, a few samples would be specks

Vec around_normal(Vec normal, Sampler::Pair random) {
    const float r = std::sqrt(random.u);
    const float angle = 2 * kPi * random.v;
    return frame_around(normal).out(
        {r * std::cos(angle), std::sqrt(std::max(0.0f, 1 - random.u)), r * std::sin(angle)});
}

// The normal that the fine structure of the material bends.
Vec bent(const Hit& hit) {
    if (!hit.material->relief) return hit.normal;
    constexpr float kStep = 2e-3f;
    const Frame around = frame_around(hit.normal);
    const auto height = [&](Vec step) {
        if (hit.thing) step = hit.thing->frame.into(step) * (1 / hit.thing->scale);
        return hit.material->relief(hit.local + step);
    };
    const float here = height({});
    const float x = (height(around.x * kStep) - here) / kStep;
    const float z = (height(around.z * kStep) - here) / kStep;
    return normalized(hit.normal - around.x * x - around.z * z);
}

// That one, unless it turns away from the eye.
Vec shading_normal(const Hit& hit, const Ray& ray) {
    const Vec normal = bent(hit);
    return dot(normal, ray.way) > -0.02f ? hit.normal : normal;
}

// Schlick's approximation (1994) of what a coat mirrors; a rough one mirrors less at grazing angles.
float fresnel(const Surface& surface, float cosine) {
    const float edge = std::max(1 - surface.roughness, surface.mirrored);
    const float rest = std::pow(1 - std::clamp(cosine, 0.0f, 1.0f), 5.0f);
    return surface.mirrored + (edge - surface.mirrored) * rest;
}

// The sun in a rough mirror: the distribution of Trowbridge and Reitz (1975).
float highlight(const Surface& surface, Vec normal, Vec to_eye, Vec to_sun) {
    const float cosine = dot(normal, to_sun);
    if (cosine <= 0) return 0;
    const float width = std::max(surface.roughness * surface.roughness, 0.012f);
    const float on_half = dot(normal, normalized(to_eye + to_sun));
    const float spread = on_half * on_half * (width * width - 1) + 1;
    const float lobe = width * width / (kPi * spread * spread);
    return lobe * cosine / (4 * std::max({cosine, dot(normal, to_eye), 0.1f}));
}

Vec mirror_way(const Surface& surface, Vec normal, Vec geometric, Vec way, Sampler::Pair random) {
    const float width = surface.roughness * surface.roughness;
    const float tangent = width * std::sqrt(random.u / std::max(1 - random.u, 1e-3f));
    const float angle = 2 * kPi * random.v;
    const Vec half =
        normalized(frame_around(normal).out({tangent * std::cos(angle), 1, tangent * std::sin(angle)}));
    Vec out = way - half * (2 * dot(way, half));
    // Never into the surface.
    const float below = dot(out, geometric);
    if (below < 0.02f) out = out + geometric * (0.02f - below);
    return normalized(out);
}

// What comes along a ray, after dull surfaces and metals. `with_window`: not counted where the ray starts.
Vec arriving(const World& world, Ray ray, bool with_window, int bounces, Sampler& sampler) {
    Vec sum;
    Vec share{1, 1, 1};
    for (int bounce = 0; bounce < bounces; ++bounce) {
        const std::optional<Hit> hit = world.meet(ray);
        if (!hit) return sum + share * room(ray, with_window);
        const Surface surface = hit->material->paint(hit->local);
        share = share * surface.albedo;
        const Vec start = hit->point + hit->normal * 2.5e-3f;
        if (surface.metal) {
            ray = {start, mirror_way(surface, hit->normal, hit->normal, ray.way, sampler.next())};
            with_window = true;
            continue;
        }
        sum += share * received(world, hit->point, hit->normal, sampler).all;
        ray = {start, around_normal(hit->normal, sampler.next())};
        with_window = false;
    }
    // What further bounces would bring, about.
    return sum + share * Vec{0.22f, 0.18f, 0.14f};
}

Vec dimmed(Vec light) {
    return light * std::min(1.0f, kBrightest / std::max(luminance(light), 1e-6f));
}

}  // namespace

Seen see_surface(const World& world, const Ray& ray) {
    const std::optional<Hit> hit = world.meet(ray);
    if (!hit) return {{}, {}, {}, {}, kNothing};
    const Surface surface = hit->material->paint(hit->local);
    return {surface.metal ? Vec{} : surface.albedo, {}, {}, shading_normal(*hit, ray), hit->distance};
}

Seen see(const World& world, const Ray& ray, Sampler& sampler) {
    const std::optional<Hit> hit = world.meet(ray);
    if (!hit) return {{}, {}, room(ray, true), {}, kNothing};
    const Surface surface = hit->material->paint(hit->local);
    const Vec normal = shading_normal(*hit, ray);
    const Vec to_eye = -ray.way;
    const Vec start = hit->point + hit->normal * 2.5e-3f;
    const float coat = fresnel(surface, dot(normal, to_eye));
    const Received direct = received(world, hit->point, normal, sampler);

    Seen seen{surface.albedo, {}, {}, normal, hit->distance};
    const Ray mirrored{start, mirror_way(surface, normal, hit->normal, ray.way, sampler.next())};
    const Vec tint = surface.metal ? surface.albedo : Vec{1, 1, 1};
    seen.mirrored =
        dimmed(arriving(world, mirrored, true, surface.metal ? kBounces : 1, sampler)) * tint * coat;
    seen.mirrored += dimmed(direct.sun * tint * (coat * highlight(surface, normal, to_eye, direct.sun_way)));
    if (surface.metal) {
        seen.albedo = {};
        return seen;
    }
    Vec out = around_normal(normal, sampler.next());
    if (dot(out, hit->normal) < 0.02f) out = around_normal(hit->normal, sampler.next());
    seen.light = (direct.all + arriving(world, {start, out}, false, kBounces, sampler)) * (1 - coat);
    return seen;
}

Ray camera_ray(float x, float y, float aspect, Sampler::Pair on_lens) {
    constexpr Vec kEye{0.75f, 5.2f, 10.2f};
    constexpr Vec kTarget{0.12f, 0.98f, -0.1f};
    constexpr float kHalfHeight = 0.300f;  // of the picture at distance 1
    constexpr float kFocus = 10.5f;        // decimetres from the eye
    constexpr float kLens = 0.028f;        // radius
    const Vec ahead = normalized(kTarget - kEye);
    const Vec right = normalized(cross(ahead, {0, 1, 0}));
    const Vec up = cross(right, ahead);
    const Vec way = ahead + right * (x * kHalfHeight * aspect) - up * (y * kHalfHeight);
    const float r = kLens * std::sqrt(on_lens.u);
    const float angle = 2 * kPi * on_lens.v;
    const Vec from = kEye + right * (r * std::cos(angle)) + up * (r * std::sin(angle));
    return {from, normalized(kEye + way * kFocus - from)};
}

}  // namespace still_life
