// Lowering of what lanes and warps do together: shuffles, votes, matches, reductions, barriers.

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "gpu/simt/barriers.h"
#include "gpu/simt/lower.h"
#include "gpu/simt/special_operations.h"

namespace ws::simt {

// The one that the opcode names.
template <class Mode>
Mode Lowering::mode_in(const Opcode& opcode,
                       std::initializer_list<std::pair<const char*, Mode>> modes) const {
    std::string names;
    for (std::size_t i = 0; i < modes.size(); ++i) {
        const auto& [name, mode] = modes.begin()[i];
        if (opcode.has(name)) return mode;
        names += fmt::format("{}'.{}'", i == 0 ? "" : i + 1 < modes.size() ? ", " : " or ", name);
    }
    unknown(names + " is missing");
}

// The slot of the masks of a `.sync` instruction, -1 of one without it.
std::int32_t Lowering::members_in(const Opcode& opcode, std::size_t index) {
    return opcode.has("sync") ? source(operand(index), '4') : -1;
}

void Lowering::shuffle_lanes(const Opcode& opcode) {
    Instruction made = with(kShuffle, Pipe::lsu);
    Shuffle detail;
    detail.mode = mode_in<ShuffleMode>(opcode, {{"up", ShuffleMode::up},
                                                {"down", ShuffleMode::down},
                                                {"bfly", ShuffleMode::bfly},
                                                {"idx", ShuffleMode::idx}});
    made.d = destination(operand(0), '4');
    if (!operand(0).pair.empty()) detail.valid = frame_.reg(operand(0).pair, 'p');
    made.a = source(operand(1), '4');
    made.b = source(operand(2), '4');
    made.c = source(operand(3), '4');
    detail.members = members_in(opcode, 4);
    attach(made, detail);
    emit(made);
}

void Lowering::vote_lanes(const Opcode& opcode) {
    Instruction made = with(kVote, Pipe::alu);
    Vote detail;
    detail.mode = mode_in<VoteMode>(opcode, {{"ballot", VoteMode::ballot},
                                             {"all", VoteMode::all},
                                             {"any", VoteMode::any},
                                             {"uni", VoteMode::uni}});
    made.d = destination(operand(0), detail.mode == VoteMode::ballot ? '4' : 'p');
    made.a = predicate(operand(1));
    detail.negated = operand(1).negated;
    detail.members = members_in(opcode, 2);
    made.b = detail.members >= 0 ? detail.members : frame_.constant(kAllLanes, false);
    attach(made, detail);
    emit(made);
}

void Lowering::match_lanes(const Opcode& opcode) {
    const bool all = opcode.has("all");
    if (!opcode.has("sync") || (!all && !opcode.has("any"))) unknown("'.any.sync' or '.all.sync' is missing");
    if (opcode.types.empty() || bits_of(opcode.types.back()) < 32) unknown("it compares 32 or 64 bits");
    Instruction made = with(all ? kMatchAll : kMatchAny, Pipe::alu);
    const Type type = opcode.types.back();
    Match detail;
    detail.wide = bits_of(type) == 64;
    made.d = destination(operand(0), '4');
    if (!all && !operand(0).pair.empty()) unknown("'.any' has no predicate");
    if (!operand(0).pair.empty()) detail.predicate = frame_.reg(operand(0).pair, 'p');
    attach(made, detail);
    made.a = source(operand(1), register_width(type));
    made.b = source(operand(2), '4');
    emit(made);
}

void Lowering::reduce_lanes(const Opcode& opcode) {
    if (opcode.types.empty() || bits_of(opcode.types.back()) != 32 || is_float(opcode.types.back()))
        unknown("it takes integers of 32 bits");
    const std::optional<Reduction> reduction = reduction_in(opcode, opcode.types.back());
    if (!reduction || *reduction > Reduction::bit_xor) unknown("an operation is missing");
    if (!opcode.has("sync")) unknown("'.sync' is missing");
    Instruction made = with(kReduceWarp, Pipe::alu);
    attach(made, WarpReduction{{}, *reduction, opcode.types.back() == Type::s32});
    made.d = destination(operand(0), '4');
    made.a = source(operand(1), '4');
    made.b = source(operand(2), '4');
    emit(made);
}

void Lowering::barrier(const PtxInstruction& from, Instruction& made) {
    from_ = &from;
    asked_.assign(from.operands.size(), false);
    const Opcode opcode(from.opcode);
    opcode.ignore({"cta", "aligned"});
    const bool reduces = opcode.has("red");
    if (reduces && opcode.types.size() != 1) unknown("it has no type");
    if (!reduces && !opcode.types.empty()) unknown("it has no type");
    const auto kind =
        reduces
            ? mode_in<BarrierKind>(
                  opcode, {{"popc", BarrierKind::popc}, {"and", BarrierKind::all}, {"or", BarrierKind::any}})
            : mode_in<BarrierKind>(opcode, {{"sync", BarrierKind::sync}, {"arrive", BarrierKind::arrive}});
    if (reduces && (opcode.types[0] == Type::pred) != (kind != BarrierKind::popc))
        unknown("not with this type");
    BarrierUse& use = attach(made, BarrierUse{{}, kind, false});
    std::size_t first = 0;
    std::size_t end = from.operands.size();
    if (reduces) {
        made.d = destination(operand(first++), kind == BarrierKind::popc ? '4' : 'p');
        const PtxOperand& condition = operand(--end);
        made.c = predicate(condition);
        use.negated = condition.negated;
    }
    const std::size_t count = end > first ? end - first : 0;
    if (count < 1 || count > 2 || (kind == BarrierKind::arrive && count != 2))
        unknown("the number of operands is another");
    made.a = source(operand(first), '4', 'u');
    if (count > 1) made.b = source(operand(first + 1), '4', 'u');
    check_all_used(opcode);
}

}  // namespace ws::simt
