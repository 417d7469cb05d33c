#include "gpu/analysis/staggered_blocks.h"

#include <algorithm>

#include "gpu/analysis/issue_facts.h"

namespace ws {
namespace {

bool is_barrier(const MachineCode& code, const MachineStep& step) {
    return is_block_barrier(code.instructions[std::size_t(step.instruction)]);
}

std::ptrdiff_t barriers_before(const ClockWarp& warp, std::size_t place, const MachineCode& code) {
    const auto begin = warp.path->steps.begin();
    return std::count_if(begin + std::ptrdiff_t(warp.first), begin + std::ptrdiff_t(place),
                         [&](const MachineStep& step) { return is_barrier(code, step); });
}

// Behind `part` of the warp's steps, or as near as `barriers` of them let it be.
std::size_t place_behind(const ClockWarp& warp, double part, std::ptrdiff_t barriers,
                         const MachineCode& code) {
    const auto wanted = warp.first + std::size_t(part * double(warp.steps()));
    std::size_t behind = warp.first;  // the last of these barriers
    for (std::size_t at = warp.first; at < warp.end(); ++at) {
        if (!is_barrier(code, warp.path->steps[at])) continue;
        if (barriers-- == 0) return std::clamp(wanted, behind, at);
        behind = at + 1;
    }
    return std::max(wanted, behind);
}

}  // namespace

double stagger(ClockBlocks& blocks, const MachineCode& code, std::size_t resident) {
    const auto before = double(blocks.size());
    blocks.reserve(blocks.size() + resident);
    for (std::size_t i = 0; i < resident; ++i) {
        const double part = 1 - (double(i) + 0.5) / double(resident);
        blocks.push_back(blocks[i]);
        std::ptrdiff_t barriers = 0;
        for (std::size_t number = 0; number < blocks[i].size(); ++number) {
            ClockWarp& begun = blocks[i][number];
            if (number == 0) {
                const auto wanted = begun.first + std::size_t(part * double(begun.steps()));
                barriers = barriers_before(begun, wanted, code);
            }
            const std::size_t place = place_behind(begun, part, barriers, code);
            blocks.back()[number].left_out = begun.path->steps.size() - place;
            begun.first = place;
        }
    }
    return double(blocks.size()) / before;
}

}  // namespace ws
