#include "gpu/simt/carry_operations.h"

#include "gpu/simt/lane_access.h"

namespace ws::simt {
namespace {

__extension__ using u128 = unsigned __int128;
__extension__ using s128 = __int128;

// Of a times b, the lower or the upper half of the bits.
u64 product(u64 a, u64 b, int bits, const CarryArithmetic& how) {
    const Type type = bits == 64 ? Type::s64 : Type::s32;
    const u128 whole =
        how.is_signed ? u128(s128(as_signed(a, type)) * s128(as_signed(b, type))) : u128(a) * u128(b);
    return u64(how.high_half ? whole >> bits : whole);
}

}  // namespace

void carry_arithmetic(Warp& warp, const Instruction& i) {
    const auto& how = detail_of<CarryArithmetic>(i);
    const int bits = how.wide ? 64 : 32;
    const u64 every = how.wide ? ~0ull : 0xFFFFFFFFull;
    const auto read = [&](s32 offset, int lane) {
        return how.wide ? slot<u64>(warp, offset)[lane] : u64(slot<u32>(warp, offset)[lane]);
    };
    u32& carries = *slot<u32>(warp, i.e);
    for_lanes(warp.mask, [&](int lane) {
        const u32 carry = how.takes_carry ? carries >> lane & 1 : 0;
        const u64 a = read(i.a, lane);
        const u64 b = read(i.b, lane);
        const u64 first = how.multiplies ? product(a, b, bits, how) & every : a;
        const u64 second = how.multiplies ? read(i.c, lane) : b;
        // Two's complement: what is borrowed is the carry of a difference below 0.
        const u128 sum = how.subtracts ? u128(first) - second - carry : u128(first) + second + carry;
        write_bits(warp, i.d, lane, u64(sum) & every, how.wide);
        if (how.gives_carry) carries = (carries & ~(1u << lane)) | u32(sum >> bits & 1) << lane;
    });
}

}  // namespace ws::simt
