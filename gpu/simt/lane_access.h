#pragma once
// Single lanes of registers of any type, for operations that go lane by lane.

#include <bit>
#include <cstdint>

#include "gpu/simt/integers.h"
#include "gpu/simt/types.h"
#include "gpu/simt/warp.h"

namespace ws::simt {

template <typename Work>
void for_lanes(u32 mask, const Work& work) {
    for (; mask != 0; mask &= mask - 1) work(std::countr_zero(mask));
}

inline u64 read_bits(const Warp& warp, s32 offset, Type type, int lane) {
    const u64 bits = bits_of(type) == 64 ? slot<u64>(warp, offset)[lane] : slot<u32>(warp, offset)[lane];
    return bits_of(type) >= 64 ? bits : bits & ((1ull << bits_of(type)) - 1);
}

inline void write_bits(Warp& warp, s32 offset, int lane, u64 bits, bool wide) {
    if (wide) {
        slot<u64>(warp, offset)[lane] = bits;
    } else {
        slot<u32>(warp, offset)[lane] = u32(bits);
    }
}

inline s64 as_signed(u64 bits, Type type) {
    const int unused = 64 - bits_of(type);
    return s64(bits << unused) >> unused;
}

}  // namespace ws::simt
