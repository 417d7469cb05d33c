#include "gpu/analysis/scoreboards.h"

#include <algorithm>

namespace ws {
namespace {

bool is_of_memory(const MachineInstruction& instruction) {
    if (instruction.kind == MachineKind::shuffle) return false;
    switch (instruction.space) {
        case MemorySpace::global:
        case MemorySpace::local:
        case MemorySpace::texture:
        case MemorySpace::generic:
            return true;
        default:
            return instruction.name == "LDGDEPBAR";
    }
}

}  // namespace

ScoreboardWait Scoreboards::longest_of(const MachineInstruction& instruction) const {
    ScoreboardWait wait;
    const auto add = [&](const Board& board, std::size_t may_remain) {
        if (board.done.size() <= may_remain) return;
        const auto end = board.done.end() - std::ptrdiff_t(may_remain);
        const double until = *std::max_element(board.done.begin(), end);
        double& kind = board.of_memory ? wait.memory : wait.dependency;
        kind = std::max(kind, until);
    };
    for (int board = 0; board < kCount; ++board)
        if (instruction.control.waits >> board & 1) add(boards_[std::size_t(board)], 0);
    const AwaitedScoreboard& awaited = instruction.awaited;
    if (awaited.number >= 0 && awaited.number < kCount)
        add(boards_[std::size_t(awaited.number)], std::size_t(awaited.may_remain));
    return wait;
}

void Scoreboards::put(const MachineInstruction& instruction, double now, double done, double read) {
    const bool memory = is_of_memory(instruction);
    if (instruction.control.write_barrier >= 0) put(instruction.control.write_barrier, now, done, memory);
    if (instruction.control.read_barrier >= 0) put(instruction.control.read_barrier, now, read, memory);
}

void Scoreboards::put(int board, double now, double done, bool memory) {
    if (board >= kCount) return;
    Board& one = boards_[std::size_t(board)];
    std::erase_if(one.done, [now](double there) { return there <= now; });
    one.of_memory = one.done.empty() ? memory : one.of_memory || memory;
    one.done.push_back(done);
}

}  // namespace ws
