#include <algorithm>
#include <bit>

#include "gpu/simt/warp_state.h"

namespace ws::simt {
namespace {

// Whether nothing is left to do from the block on.
bool only_ends(const BoundProgram& bound, const BasicBlock& block) {
    if (block.first != block.last || (block.flow != Flow::leave && block.flow != Flow::exit)) return false;
    if (block.control < 0) return true;
    const Instruction& control = bound.control_of(block);
    return control.guard < 0;
}

// Lanes that wait for others at a block with nothing left to do count as ended.
void wait_at(const BoundProgram& bound, WarpState& warp, int function, int block, std::uint32_t lanes) {
    if (function == 0 && only_ends(bound, bound.program.functions.front().blocks[std::size_t(block)]))
        warp.warp.ending |= lanes;
}

}  // namespace

Sides sides_of_list(const Warp& warp, const BasicBlock& block, std::int32_t indices, std::uint32_t mask) {
    Sides sides;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint32_t index = slot<std::uint32_t>(warp, indices)[lane];
        const int target = block.targets[std::min<std::size_t>(index, block.targets.size() - 1)];
        const auto known =
            std::find_if(sides.begin(), sides.end(), [&](const auto& side) { return side.first == target; });
        if (known == sides.end()) {
            sides.emplace_back(target, 1u << lane);
        } else {
            known->second |= 1u << lane;
        }
    }
    return sides;
}

Sides sides_of_call(const Warp& warp, std::int32_t pointers, int block, std::uint32_t calling) {
    Sides sides;
    const auto* of = slot<std::uint64_t>(warp, pointers);
    while (calling != 0) {
        std::uint32_t alike = 0;
        for (std::uint32_t rest = calling; rest != 0; rest &= rest - 1) {
            if (of[std::countr_zero(rest)] == of[std::countr_zero(calling)]) alike |= rest & ~(rest - 1);
        }
        sides.emplace_back(block, alike);
        calling &= ~alike;
    }
    return sides;
}

void diverge(const BoundProgram& bound, WarpState& warp, const BasicBlock& block, const Sides& sides) {
    const Path path = warp.paths.back();
    const bool in_kernel = path.function == 0;
    const int exit_block = bound.program.functions[std::size_t(path.function)].exit_block;
    // The reconvergence point: the path itself waits there, unless the one below already does.
    if (path.reconverge == block.reconverge && path.call < 0) {
        warp.paths.pop_back();
    } else {
        warp.paths.back().block = block.reconverge;
    }
    for (const auto& [target, lanes] : sides) {
        if (in_kernel && target == exit_block) {
            warp.warp.live &= ~lanes;  // they are done, and no barrier waits for them
        } else if (target != block.reconverge) {
            warp.paths.push_back({path.function, target, block.reconverge, lanes, -1, 0});
        } else {
            wait_at(bound, warp, path.function, target, lanes);
        }
    }
}

void push_side(WarpState& warp, int reconverge, std::uint32_t lanes) {
    Path& path = warp.paths.back();
    path.block = reconverge;
    warp.paths.push_back({path.function, reconverge, reconverge, lanes, -1, 0});
}

void settle(const BoundProgram& bound, WarpState& warp) {
    while (!warp.paths.empty()) {
        Path& top = warp.paths.back();
        top.mask &= warp.warp.live;
        if (top.mask != 0 && (top.reconverge < 0 || top.block != top.reconverge)) return;
        if (top.mask == 0 && top.call >= 0) set_frame(warp, top.caller_frame);
        if (top.mask != 0) wait_at(bound, warp, top.function, top.reconverge, top.mask);
        warp.paths.pop_back();
    }
    warp.state = WarpState::State::done;
}

}  // namespace ws::simt
