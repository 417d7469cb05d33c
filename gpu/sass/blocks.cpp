#include "gpu/sass/blocks.h"

#include <algorithm>
#include <set>

namespace ws {
namespace {

bool ends_block(const MachineInstruction& instruction) {
    return instruction.kind == MachineKind::branch || instruction.kind == MachineKind::exit ||
           instruction.kind == MachineKind::call;
}

// The instruction that a branch leads to; -1: none in this code.
int target_index(const MachineCode& code, const MachineInstruction& instruction) {
    const int index = instruction.target / kMachineInstructionBytes;
    return instruction.target >= 0 && index < int(code.instructions.size()) ? index : -1;
}

}  // namespace

void find_blocks(MachineCode& code, const std::function<bool(int)>& falls_through) {
    const int count = int(code.instructions.size());
    std::set<int> starts;
    std::vector<int> returns;  // instructions behind calls
    if (count > 0) starts.insert(0);
    for (int i = 0; i < count; ++i) {
        const MachineInstruction& instruction = code.instructions[std::size_t(i)];
        if (const int to = target_index(code, instruction); to >= 0) starts.insert(to);
        if (!ends_block(instruction) || i + 1 >= count) continue;
        starts.insert(i + 1);
        if (instruction.kind == MachineKind::call) returns.push_back(i + 1);
    }
    code.blocks.clear();
    for (auto start = starts.begin(); start != starts.end(); ++start) {
        const auto after = std::next(start);
        code.blocks.push_back({*start, after == starts.end() ? count : *after, {}});
    }
    for (std::size_t b = 0; b < code.blocks.size(); ++b) {
        for (int i = code.blocks[b].first; i < code.blocks[b].end; ++i)
            code.instructions[std::size_t(i)].block = int(b);
    }
    for (MachineBlock& block : code.blocks) {
        const int last = block.end - 1;
        const MachineInstruction& instruction = code.instructions[std::size_t(last)];
        const auto add = [&](int index) {
            block.next.push_back(code.instructions[std::size_t(index)].block);
        };
        if (falls_through(last) && block.end < count) add(block.end);
        if (ends_block(instruction))
            if (const int to = target_index(code, instruction); to >= 0) add(to);
        if (instruction.name == "RET")
            for (const int index : returns) add(index);
        std::sort(block.next.begin(), block.next.end());
        block.next.erase(std::unique(block.next.begin(), block.next.end()), block.next.end());
    }
}

}  // namespace ws
