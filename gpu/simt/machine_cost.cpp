#include "gpu/simt/machine_cost.h"

#include <algorithm>
#include <array>
#include <string>

namespace ws::simt {
namespace {

struct Sequence {
    std::string_view begin;  // of the opcode
    int further = 0;
    int special = 0;
};
// The last that fits counts.
constexpr std::array kSequences{
    Sequence{"div.rn.f32", 9, 1}, Sequence{"rcp.rn.f32", 9},     Sequence{"div.u32", 17, 3},
    Sequence{"div.s32", 23, 3},   Sequence{"rem.u32", 16, 3},    Sequence{"rem.s32", 22, 3},
    Sequence{"mul24.lo", 1},      Sequence{"sin.approx", 1},     Sequence{"cos.approx", 1},
    Sequence{"div.approx", 1},    Sequence{"div.approx.f32", 4}, Sequence{"ex2.approx.f32", 3},
    Sequence{"lg2.approx.f32", 3}};

bool has(std::string_view opcode, std::string_view part) {
    return opcode.find(part) != std::string_view::npos;
}

// Of whole numbers: from 8 or 16 bits to 32.
bool is_narrow_conversion(std::string_view opcode) {
    const bool to_word = has(opcode, ".s32.") || has(opcode, ".u32.");
    constexpr std::array<std::string_view, 4> kNarrow{".s8", ".u8", ".s16", ".u16"};
    return to_word && !has(opcode, ".sat") &&
           std::any_of(kNarrow.begin(), kNarrow.end(),
                       [&](std::string_view type) { return opcode.ends_with(type); });
}

SlowKind slow_kind(std::string_view opcode) {
    const std::string_view name = opcode.substr(0, opcode.find('.'));
    if (name == "shl" || name == "shr" || name == "shf") return SlowKind::shift;
    const bool whole = !has(opcode, ".f") && !has(opcode, ".bf");
    if (whole && (name == "mul" || name == "mad")) return SlowKind::multiply;
    if (name == "cvt" && has(opcode, ".f64")) return SlowKind::wide_conversion;
    if (name == "cvt" && is_narrow_conversion(opcode)) return SlowKind::narrow_conversion;
    return SlowKind::none;
}

}  // namespace

MachineCost machine_cost(std::string_view opcode) {
    MachineCost cost{slow_kind(opcode), 0, 0};
    for (const Sequence& sequence : kSequences) {
        if (!opcode.starts_with(sequence.begin)) continue;
        cost.further = sequence.further;
        cost.special = sequence.special;
    }
    return cost;
}

}  // namespace ws::simt
