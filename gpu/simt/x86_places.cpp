#include "gpu/simt/x86_places.h"

#include <bit>

namespace ws::simt {

namespace x86 = asmjit::x86;

void PlaceCode::choose_patterns() {
    static_assert(std::has_single_bit(PartialPatterns::kWays));
    code_.popcnt(x86::eax, kActive);
    code_.and_(x86::eax, int(PartialPatterns::kWays - 1));
    code_.imul(x86::rax, x86::rax, int(sizeof(AccessPattern*) * memory_instructions_));
    code_.add(x86::rax, x86::ptr(kState, offsetof(TranslatedState, partial_patterns)));
    code_.mov(x86::ptr(kState, offsetof(TranslatedState, patterns_of_mask)), x86::rax);
}

void PlaceCode::begin(const MemoryAccess& m, ForLanes lanes, const asmjit::Label& bail) {
    lanes_ = lanes;
    if (!for_some()) return;
    code_.mov(kPatterns, x86::ptr(kState, offsetof(TranslatedState, patterns_of_mask)));
    code_.mov(kPatterns, x86::ptr(kPatterns, int(sizeof(AccessPattern*)) * m.pattern));
    code_.test(kPatterns, kPatterns);
    code_.jz(bail);
}

// Of that part's lanes, in k1.
void PlaceCode::mask_part(int part, int parts) {
    code_.kmovd(x86::k1, kActive);
    if (part > 0) code_.kshiftrd(x86::k1, x86::k1, part * kLanes / parts);
}

// The number of parts.
int PlaceCode::add_offset(const MemoryAccess& m, const Held& base, x86::Zmm* address) {
    for (int part = 0; part < base.parts; ++part) {
        address[part] = base.zmm(part);
        if (m.offset == 0) continue;
        address[part] = kTemporary[part];
        if (base.parts == 2)
            code_.vpaddd(address[part], base.zmm(part), constants_.word(std::uint32_t(m.offset)));
        else
            code_.vpaddq(address[part], base.zmm(part), constants_.wide(std::uint64_t(m.offset)));
    }
    return base.parts;
}

// Leaves the first lane's address in rax.
void PlaceCode::compare_distances_of_some(const MemoryAccess& m, const Held& base,
                                          const asmjit::Label& bail) {
    code_.cmp(of_pattern(m, offsetof(AccessPattern, mask)), kActive);
    code_.jne(bail);
    x86::Zmm address[4];
    const int parts = add_offset(m, base, address);
    const bool narrow = parts == 2;
    constexpr int kRoom = int(offsetof(TranslatedState, room));
    for (int part = 0; part < parts; ++part)
        code_.vmovdqa64(x86::ptr(kState, kRoom + 64 * part), address[part]);
    code_.tzcnt(x86::r8d, kActive);
    const x86::Zmm first = kTemporary[4];
    if (narrow) {
        code_.mov(x86::eax, x86::ptr(kState, x86::r8, 2, kRoom));
        code_.vpbroadcastd(first, x86::eax);
    } else {
        code_.mov(x86::rax, x86::ptr(kState, x86::r8, 3, kRoom));
        code_.vpbroadcastq(first, x86::rax);
    }
    for (int part = 0; part < parts; ++part) {
        const x86::Zmm t = kTemporary[part];
        mask_part(part, parts);
        if (narrow) {
            code_.vpsubd(t, address[part], first);
            code_.k(x86::k1).z().vpxord(
                t, t, of_pattern(m, offsetof(AccessPattern, narrow) + std::size_t(64 * part)));
        } else {
            code_.vpsubq(t, address[part], first);
            code_.k(x86::k1).z().vpxorq(
                t, t, of_pattern(m, offsetof(AccessPattern, relative) + std::size_t(64 * part)));
        }
        if (part > 0) code_.vporq(kTemporary[0], kTemporary[0], t);
    }
    code_.vptestmq(x86::k1, kTemporary[0], kTemporary[0]);
    code_.kortestb(x86::k1, x86::k1);
    code_.jnz(bail);
}

// The same of all.
void PlaceCode::compare_distances(const MemoryAccess& m, const Held& base, const asmjit::Label& bail) {
    x86::Zmm address[4];
    const int parts = add_offset(m, base, address);
    const bool narrow = parts == 2;
    const x86::Zmm first = kTemporary[4];
    if (narrow) {
        code_.vmovd(x86::eax, address[0].xmm());
        code_.vpbroadcastd(first, address[0].xmm());
    } else {
        code_.vmovq(x86::rax, address[0].xmm());
        code_.vpbroadcastq(first, address[0].xmm());
    }
    for (int part = 0; part < parts; ++part) {
        if (narrow)
            code_.vpsubd(kTemporary[part], address[part], first);
        else
            code_.vpsubq(kTemporary[part], address[part], first);
    }
    for (int part = 0; part < parts; ++part) {
        if (part > 0) code_.k(x86::k1);
        if (narrow)
            code_.vpcmpd(x86::k1, kTemporary[part],
                         of_pattern(m, offsetof(AccessPattern, narrow) + std::size_t(64 * part)), 0);
        else
            code_.vpcmpq(x86::k1, kTemporary[part],
                         of_pattern(m, offsetof(AccessPattern, relative) + std::size_t(64 * part)), 0);
    }
    if (narrow)
        code_.kortestw(x86::k1, x86::k1);
    else
        code_.kortestb(x86::k1, x86::k1);
    code_.jnc(bail);
}

void PlaceCode::find_place(const MemoryAccess& m, const Held& base, const asmjit::Label& bail) {
    if (for_some())
        compare_distances_of_some(m, base, bail);
    else
        compare_distances(m, base, bail);
    // Within the same memory, and aligned.
    constexpr std::size_t kNear = offsetof(AccessPattern, near_place);
    code_.mov(x86::r8, x86::rax);
    code_.sub(x86::r8, of_pattern(m, kNear + offsetof(NearPlace, first)));
    code_.cmp(x86::r8, of_pattern(m, kNear + offsetof(NearPlace, count)));
    code_.jae(bail);
    if (m.whole_bytes() > 1) {
        code_.test(x86::al, m.whole_bytes() - 1);
        code_.jnz(bail);
    }
    x86::Mem hit = of_pattern(m, offsetof(AccessPattern, hits));
    code_.movzx(x86::r8d, x86::al);
    hit.setIndex(x86::r8, 3);
    hit.setSize(8);
    code_.inc(hit);
    x86::Mem unobserved = of_pattern(m, offsetof(AccessPattern, unobserved));
    unobserved.setSize(1);
    code_.mov(unobserved, 1);
    code_.add(x86::rax, of_pattern(m, kNear + offsetof(NearPlace, offset)));
}

// Of a row, from the first lane's data.
void PlaceCode::go_to_lane_0(int bytes) {
    if (!for_some()) return;
    code_.tzcnt(x86::r8d, kActive);
    if (bytes > 1) code_.shl(x86::r8d, std::countr_zero(unsigned(bytes)));
    code_.sub(x86::rax, x86::r8);
}

void PlaceCode::find(const MemoryAccess& m, ForLanes lanes, const Held& base, const asmjit::Label& bail) {
    begin(m, lanes, bail);
    find_place(m, base, bail);
}

void PlaceCode::find_row(const MemoryAccess& m, ForLanes lanes, const Held& base, const asmjit::Label& bail) {
    begin(m, lanes, bail);
    bail_unless_row(m, bail);
    find_place(m, base, bail);
}

void PlaceCode::bail_unless_row(const MemoryAccess& m, const asmjit::Label& bail) {
    code_.cmp(of_pattern(m, offsetof(AccessPattern, near_place) + offsetof(NearPlace, shape), 4),
              int(AccessShape::row));
    code_.jne(bail);
}

}  // namespace ws::simt
