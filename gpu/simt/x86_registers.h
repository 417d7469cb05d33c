#pragma once
// Which slots of the frame the processor's registers hold at one place of translated code.

#include <asmjit/x86.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "gpu/simt/instruction.h"

namespace ws::simt {

// The registers of translated code. What it is called with:
inline const asmjit::x86::Gp kState = asmjit::x86::rdi;
// and of that, while it runs:
inline const asmjit::x86::Gp kFrame = asmjit::x86::rdx;
inline const asmjit::x86::Gp kPatterns = asmjit::x86::rsi;  // in code for some lanes that of the access
inline const asmjit::x86::Gp kPasses = asmjit::x86::rcx;
inline const asmjit::x86::Gp kSteps = asmjit::x86::r10;
inline const asmjit::x86::Gp kActive = asmjit::x86::r11d;  // the lanes, in code for some
// Free for what one instruction needs meanwhile: rax, r8, r9, k0, k1, zmm31, and
inline const asmjit::x86::Zmm kTemporary[] = {asmjit::x86::zmm26, asmjit::x86::zmm27, asmjit::x86::zmm28,
                                              asmjit::x86::zmm29, asmjit::x86::zmm30};

// A slot in registers: a predicate in one mask register, 32 bits a lane in two vectors, 64 bits in four; all
// of them one and the same vector where every lane has the same value.
struct Held {
    std::int32_t slot = -1;
    int parts = 2;
    std::array<std::uint8_t, 4> at{};
    bool dirty = false;  // the frame has not got it yet

    [[nodiscard]] bool is_predicate() const { return parts == 1; }
    [[nodiscard]] bool is_uniform() const { return parts > 1 && at[0] == at[1]; }
    [[nodiscard]] asmjit::x86::Zmm zmm(int part) const { return asmjit::x86::Zmm(at[std::size_t(part)]); }
    [[nodiscard]] asmjit::x86::Ymm ymm(int part) const { return asmjit::x86::Ymm(at[std::size_t(part)]); }
    [[nodiscard]] asmjit::x86::KReg k() const { return asmjit::x86::KReg(at[0]); }
    [[nodiscard]] bool is_where(const Held& other) const {
        return slot == other.slot && parts == other.parts && at == other.at;
    }
};

// The vectors and masks beyond these are free for what one instruction needs meanwhile.
class Registers {
  public:
    static constexpr int kVectors = 26;        // zmm0 to zmm25
    static constexpr int kFirstPredicate = 2;  // k2 to k7

    [[nodiscard]] const std::vector<Held>& held() const { return held_; }
    // A constant's slot may be read as a predicate and as lanes.
    [[nodiscard]] Held* find(std::int32_t slot, int parts) {
        const auto found = std::find_if(held_.begin(), held_.end(), [&](const Held& one) {
            return one.slot == slot && one.parts == parts;
        });
        return found != held_.end() ? &*found : nullptr;
    }
    [[nodiscard]] bool holds_like(const Held& other) const {
        return std::any_of(held_.begin(), held_.end(), [&](const Held& one) { return one.is_where(other); });
    }
    [[nodiscard]] bool has_room(int parts, bool uniform) const {
        return std::popcount(free_of(parts)) >= (uniform ? 1 : parts);
    }
    // Precondition: there is room.
    Held& add(std::int32_t slot, int parts, bool uniform) {
        Held made{slot, parts, {}, false};
        std::uint32_t& free = parts == 1 ? predicates_ : vectors_;
        for (int part = 0; part < parts; ++part) {
            if (part > 0 && uniform) {
                made.at[std::size_t(part)] = made.at[0];
                continue;
            }
            made.at[std::size_t(part)] = std::uint8_t(std::countr_zero(free));
            free &= free - 1;
        }
        return held_.emplace_back(made);
    }
    void keep(const Held& one) {
        for (int part = 0; part < one.parts; ++part)
            (one.is_predicate() ? predicates_ : vectors_) &= ~(1u << one.at[std::size_t(part)]);
        held_.push_back(one);
    }
    void drop(const Held& dropped) {
        const Held one = dropped;
        for (int part = 0; part < one.parts; ++part)
            (one.is_predicate() ? predicates_ : vectors_) |= 1u << one.at[std::size_t(part)];
        std::erase_if(held_, [&](const Held& other) { return other.is_where(one); });
    }

  private:
    [[nodiscard]] std::uint32_t free_of(int parts) const { return parts == 1 ? predicates_ : vectors_; }

    std::vector<Held> held_;
    std::uint32_t vectors_ = (1u << kVectors) - 1;
    std::uint32_t predicates_ = 0xFFu & ~((1u << kFirstPredicate) - 1);
};

}  // namespace ws::simt
