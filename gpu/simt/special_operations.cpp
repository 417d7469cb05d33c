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

template <class Observer>
void texture_2d(Warp& warp, const Instruction& i) {
    observer_of<Observer>(warp).fetch_texture(i);
    for_lanes(warp.mask, [&](int lane) {
        const u64 handle = slot<u64>(warp, i.a)[lane];
        std::array<float, 4> texel{};
        const auto coordinate = [&](s32 offset) {
            return i.bytes == 1 ? float(slot<s32>(warp, offset)[lane]) + 0.5f
                                : slot<float>(warp, offset)[lane];
        };
        const std::vector<Texture>* textures = warp.worker->textures;
        if (!textures || handle < 1 || handle > textures->size())
            return end_launch(
                *warp.worker, i.line, warp.index * kLanes + lane,
                fmt::format("a fault: the texture handle {:#x} names no texture of the launch", handle));
        texel = sample((*textures)[handle - 1], coordinate(i.b), coordinate(i.c));
        for (std::size_t k = 0; k < 4; ++k) {
            if (i.v[k] < 0) continue;
            slot<u32>(warp, i.v[k])[lane] =
                i.modifiers.variant == 0 ? std::bit_cast<u32>(texel[k]) : u32(s32(texel[k]));
        }
    });
}

}  // namespace

constinit const Observed kFence = observed([]<class Observer> {
    return Handlers{&fence<Observer>, &fence<Observer>};
});
constinit const Observed kTexture2d = observed([]<class Observer> {
    return Handlers{&texture_2d<Observer>, &texture_2d<Observer>};
});

namespace {
std::byte* param_place(Warp& warp, const Instruction& i, int lane) {
    return warp.frame + i.a + s64(lane) * i.b + i.immediate;
}
}  // namespace

void load_param(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) {
        for (int k = 0; k < i.count; ++k) {
            u64 value = 0;
            std::memcpy(&value, param_place(warp, i, lane) + k * i.bytes, i.bytes);
            if (i.modifiers.variant == 1) value = u64(s64(value << (64 - 8 * i.bytes)) >> (64 - 8 * i.bytes));
            write_bits(warp, i.v[k], lane, value, i.wide_address);
        }
    });
}

void store_param(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) {
        for (int k = 0; k < i.count; ++k) {
            const u64 value = i.wide_address ? slot<u64>(warp, i.v[k])[lane] : slot<u32>(warp, i.v[k])[lane];
            std::memcpy(param_place(warp, i, lane) + k * i.bytes, &value, i.bytes);
        }
    });
}

void clock(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) { write_bits(warp, i.d, lane, warp.worker->steps, i.bytes == 8); });
}

void pack_vector(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) {
        u64 made = 0;
        for (int k = 0; k < i.count; ++k) {
            const u64 part = slot<u32>(warp, i.v[k])[lane];
            made |= (part & (i.bytes == 4   ? 0xFFFFFFFFull
                             : i.bytes == 2 ? 0xFFFFull
                                            : 0xFFull))
                    << (8 * i.bytes * k);
        }
        write_bits(warp, i.d, lane, made, i.bytes * i.count == 8);
    });
}

void unpack_vector(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) {
        const u64 whole_value =
            i.bytes * i.count == 8 ? slot<u64>(warp, i.a)[lane] : slot<u32>(warp, i.a)[lane];
        for (int k = 0; k < i.count; ++k) {
            if (i.v[k] < 0) continue;
            const u64 part = whole_value >> (8 * i.bytes * k);
            slot<u32>(warp, i.v[k])[lane] = u32(i.bytes == 4   ? part
                                                : i.bytes == 2 ? part & 0xFFFF
                                                               : part & 0xFF);
        }
    });
}

}  // namespace ws::simt
