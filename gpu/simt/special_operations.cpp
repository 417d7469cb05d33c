#include "gpu/simt/special_operations.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>

#include "gpu/simt/lane_access.h"
#include "gpu/simt/observer_sets.h"
#include "gpu/simt/report.h"
#include "gpu/simt/texture.h"

namespace ws::simt {
namespace {

template <class Observer>
void fence(Warp& warp, const Instruction& i) {
    observer_of<Observer>(warp).fence(warp, i);
}

Footprint footprint_of(Warp& warp, const Instruction& i, int lane, const Texture& texture) {
    if (detail_of<TextureFetch>(i).whole_coordinates)
        return footprint(texture, slot<s32>(warp, i.b)[lane], i.c < 0 ? 0 : slot<s32>(warp, i.c)[lane]);
    const float x = slot<float>(warp, i.b)[lane];
    return i.c < 0 ? footprint(texture, x) : footprint(texture, x, slot<float>(warp, i.c)[lane]);
}

template <class Observer>
void fetch_texture(Warp& warp, const Instruction& i) {
    const auto& detail = detail_of<TextureFetch>(i);
    std::array<u64, kLanes * std::tuple_size_v<decltype(Footprint::texels)>> addresses;
    std::size_t read = 0;
    int texel_bytes = 0;
    for_lanes(warp.mask, [&](int lane) {
        const u64 handle = slot<u64>(warp, i.a)[lane];
        const std::vector<Texture>* textures = warp.worker->textures;
        if (!textures || handle < 1 || handle > textures->size())
            return end_launch(
                *warp.worker, i.line, warp.index * kLanes + lane,
                fmt::format("a fault: the texture handle {:#x} names no texture of the launch", handle));
        const Texture& texture = (*textures)[handle - 1];
        if (i.c < 0 && texture.height > 1)
            return end_launch(*warp.worker, i.line, warp.index * kLanes + lane,
                              "a fault: a texture of two dimensions is fetched from as one of one");
        const Footprint from = footprint_of(warp, i, lane, texture);
        for (std::size_t k = 0; k < from.count; ++k)
            addresses[read++] = address_of(texture, from.texels[k].x, from.texels[k].y);
        texel_bytes = texture.texel_bytes();
        const std::array<float, 4> texel = fetched(texture, from);
        for (std::size_t k = 0; k < 4; ++k) {
            if (detail.elements[k] < 0) continue;
            slot<u32>(warp, detail.elements[k])[lane] =
                detail.whole_texel ? u32(s32(texel[k])) : std::bit_cast<u32>(texel[k]);
        }
    });
    observer_of<Observer>(warp).fetch_texture(warp, {i, {addresses.data(), read}, texel_bytes});
}

}  // namespace

constinit const Observed kFence = observed([]<class Observer> {
    return Handlers{&fence<Observer>, &fence<Observer>};
});
constinit const Observed kFetchTexture = observed([]<class Observer> {
    return Handlers{&fetch_texture<Observer>, &fetch_texture<Observer>};
});

namespace {

std::byte* place_in(Warp& warp, const LaneParameterAccess& parameter, int lane, std::size_t element) {
    return warp.frame + parameter.area + s64(lane) * parameter.stride + parameter.offset +
           element * parameter.bytes;
}

u64 low_bytes(int bytes) {
    return bytes == 8 ? ~0ull : (1ull << (8 * bytes)) - 1;
}

}  // namespace

void load_param(Warp& warp, const Instruction& i) {
    const auto& detail = detail_of<LaneParameterAccess>(i);
    for_lanes(warp.mask, [&](int lane) {
        for (std::size_t k = 0; k < detail.count; ++k) {
            u64 value = 0;
            std::memcpy(&value, place_in(warp, detail, lane, k), detail.bytes);
            const int unused = 64 - 8 * detail.bytes;
            if (detail.is_signed) value = u64(s64(value << unused) >> unused);
            write_bits(warp, detail.elements[k], lane, value, detail.wide);
        }
    });
}

void store_param(Warp& warp, const Instruction& i) {
    const auto& detail = detail_of<LaneParameterAccess>(i);
    for_lanes(warp.mask, [&](int lane) {
        for (std::size_t k = 0; k < detail.count; ++k) {
            const s32 from = detail.elements[k];
            const u64 value = detail.wide ? slot<u64>(warp, from)[lane] : slot<u32>(warp, from)[lane];
            std::memcpy(place_in(warp, detail, lane, k), &value, detail.bytes);
        }
    });
}

void clock_32(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) { slot<u32>(warp, i.d)[lane] = u32(warp.worker->steps); });
}

void clock_64(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) { slot<u64>(warp, i.d)[lane] = warp.worker->steps; });
}

void pack_vector(Warp& warp, const Instruction& i) {
    const auto& detail = detail_of<VectorMove>(i);
    for_lanes(warp.mask, [&](int lane) {
        u64 made = 0;
        for (std::size_t k = 0; k < detail.count; ++k)
            made |= (slot<u32>(warp, detail.elements[k])[lane] & low_bytes(detail.bytes))
                    << (8 * detail.bytes * k);
        write_bits(warp, i.d, lane, made, detail.bytes * detail.count == 8);
    });
}

void unpack_vector(Warp& warp, const Instruction& i) {
    const auto& detail = detail_of<VectorMove>(i);
    const bool wide = detail.bytes * detail.count == 8;
    for_lanes(warp.mask, [&](int lane) {
        const u64 whole = wide ? slot<u64>(warp, i.a)[lane] : slot<u32>(warp, i.a)[lane];
        for (std::size_t k = 0; k < detail.count; ++k) {
            if (detail.elements[k] < 0) continue;
            slot<u32>(warp, detail.elements[k])[lane] =
                u32(whole >> (8 * detail.bytes * k) & low_bytes(detail.bytes));
        }
    });
}

}  // namespace ws::simt
