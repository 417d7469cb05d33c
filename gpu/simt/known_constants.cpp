#include "gpu/simt/known_constants.h"

#include <unordered_set>

namespace ws::simt {

KnownConstants::KnownConstants(const Program& program, const Liveness& liveness, const Function& function)
    : program_(program), function_(function) {
    for (const SlotConstant& constant : function.constants) constants_[constant.offset] = constant.bits;
    find_moves(liveness);
    follow_flow();
}

void KnownConstants::find_moves(const Liveness& liveness) {
    std::unordered_set<std::int32_t> changed;
    std::unordered_set<std::int32_t> again;
    for (std::size_t b = 0; b < function_.blocks.size(); ++b) {
        const BasicBlock& block = function_.blocks[b];
        const int end = block.control >= 0 ? block.control + 1 : block.last;
        for (int i = block.first; i < end; ++i) {
            const Instruction& instruction = program_.code[std::size_t(i)];
            for (const std::int32_t slot : liveness.use(i).changed) {
                if (changed.insert(slot).second) continue;
                again.insert(slot);
                moves_.erase(slot);
            }
            const bool moves =
                instruction.operation && instruction.guard < 0 &&
                (instruction.operation->key == "mov.32" || instruction.operation->key == "mov.64");
            const auto from = constants_.find(instruction.a);
            if (!moves || from == constants_.end() || again.contains(instruction.d)) continue;
            moves_[instruction.d] = {from->second, i, int(b), 0};
        }
    }
}

// A move is passed before a block if it is before or in each block that leads there.
void KnownConstants::follow_flow() {
    std::size_t count = 0;
    for (auto& [slot, move] : moves_) move.index = count++;
    const std::size_t blocks = function_.blocks.size();
    passed_.assign(blocks, std::vector<bool>(count, true));
    if (blocks == 0 || count == 0) return;
    passed_[0].assign(count, false);
    std::vector<std::vector<std::size_t>> of_block(blocks);
    for (const auto& [slot, move] : moves_) of_block[std::size_t(move.block)].push_back(move.index);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t b = 0; b < blocks; ++b) {
            std::vector<bool> behind = passed_[b];
            for (const std::size_t index : of_block[b]) behind[index] = true;
            for (const int next : successors_of(function_.blocks[b])) {
                std::vector<bool>& before = passed_[std::size_t(next)];
                for (std::size_t i = 0; i < count; ++i) {
                    if (!before[i] || behind[i]) continue;
                    before[i] = false;
                    changed = true;
                }
            }
        }
    }
}

std::optional<std::uint64_t> KnownConstants::at(int block, int instruction, std::int32_t slot) const {
    if (const auto found = constants_.find(slot); found != constants_.end()) return found->second;
    const auto found = moves_.find(slot);
    if (found == moves_.end()) return std::nullopt;
    const Move& move = found->second;
    const bool passed = move.block == block && move.instruction < instruction;
    if (!passed && !passed_[std::size_t(block)][move.index]) return std::nullopt;
    return move.bits;
}

}  // namespace ws::simt
