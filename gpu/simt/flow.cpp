#include "gpu/simt/flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "gpu/simt/built_in_calls.h"
#include "gpu/simt/frame.h"

namespace ws::simt {
namespace {

bool ends(Flow flow) {
    return flow == Flow::exit || flow == Flow::trap;
}

}  // namespace

std::optional<Flow> flow_of(const PtxInstruction& instruction) {
    const std::string name = instruction.opcode.substr(0, instruction.opcode.find('.'));
    if (name == "bra") return Flow::branch;
    if (name == "brx") return Flow::list;
    if (name == "call") return built_in_named(instruction.callee) ? std::nullopt : std::optional(Flow::call);
    if (name == "ret") return Flow::leave;
    if (name == "exit") return Flow::exit;
    if (name == "trap" || name == "brkpt") return Flow::trap;
    if ((name == "bar" || name == "barrier") && instruction.opcode.find(".warp") == std::string::npos)
        return Flow::barrier;
    return std::nullopt;
}

// Cooper, Harvey and Kennedy's iteration, on the reversed graph.
std::vector<int> immediate_post_dominators(const std::vector<std::vector<int>>& successors, int exit) {
    const std::size_t count = successors.size();
    std::vector<std::vector<int>> predecessors(count);
    for (std::size_t block = 0; block < count; ++block) {
        for (const int next : successors[block]) predecessors[std::size_t(next)].push_back(int(block));
    }
    // Post-order of the reversed graph from the exit.
    std::vector<int> order;
    std::vector<int> number(count, -1);
    std::vector<std::pair<int, std::size_t>> path{{exit, 0}};
    std::vector<bool> seen(count, false);
    seen[std::size_t(exit)] = true;
    while (!path.empty()) {
        auto& [block, next] = path.back();
        const auto& before = predecessors[std::size_t(block)];
        if (next == before.size()) {
            number[std::size_t(block)] = int(order.size());
            order.push_back(block);
            path.pop_back();
            continue;
        }
        const int from = before[next++];
        if (seen[std::size_t(from)]) continue;
        seen[std::size_t(from)] = true;
        path.emplace_back(from, 0);
    }
    std::vector<int> dominator(count, -1);
    dominator[std::size_t(exit)] = exit;
    for (bool changed = true; changed;) {
        changed = false;
        for (auto block = order.rbegin(); block != order.rend(); ++block) {
            if (*block == exit) continue;
            int made = -1;
            for (const int next : successors[std::size_t(*block)]) {
                if (dominator[std::size_t(next)] < 0) continue;
                int other = next;
                if (made < 0) {
                    made = other;
                    continue;
                }
                while (made != other) {
                    while (number[std::size_t(made)] < number[std::size_t(other)])
                        made = dominator[std::size_t(made)];
                    while (number[std::size_t(other)] < number[std::size_t(made)])
                        other = dominator[std::size_t(other)];
                }
            }
            if (made != dominator[std::size_t(*block)]) {
                dominator[std::size_t(*block)] = made;
                changed = true;
            }
        }
    }
    // A block from which the exit cannot be reached (an endless loop) has no reconvergence point of its own.
    for (int& block : dominator) {
        if (block < 0) block = exit;
    }
    return dominator;
}

void find_reconvergence_points(const std::vector<Instruction>& code, Function& made) {
    std::vector<std::vector<int>> successors(made.blocks.size());
    for (std::size_t i = 0; i + 1 < made.blocks.size(); ++i) {
        const BasicBlock& block = made.blocks[i];
        auto& list = successors[i];
        if (block.flow == Flow::list) list = block.targets;
        if (block.target >= 0) list.push_back(block.target);
        if (ends(block.flow)) list.push_back(made.exit_block);
        list.push_back(block.next);
    }
    for (std::size_t i = 0; i + 1 < made.blocks.size(); ++i) {
        const BasicBlock& block = made.blocks[i];
        // Only what always leaves has no way on.
        const bool leaves = block.flow == Flow::branch || block.flow == Flow::leave || ends(block.flow);
        const bool guarded = block.control >= 0 && code[std::size_t(block.control)].guard >= 0;
        if (block.flow == Flow::list || (leaves && !guarded)) successors[i].pop_back();
    }
    const std::vector<int> reconvergence = immediate_post_dominators(successors, made.exit_block);
    for (std::size_t i = 0; i < made.blocks.size(); ++i) made.blocks[i].reconverge = reconvergence[i];
}

void refuse_recursion(const Program& program, const std::set<int>& with_arrays) {
    for (const int index : with_arrays) {
        std::set<int> reached;
        std::deque<int> open{index};
        while (!open.empty()) {
            const int at = open.front();
            open.pop_front();
            for (const Call& call : program.functions[std::size_t(at)].calls) {
                if (call.function == index)
                    throw DecodeError(
                        fmt::format("'{}' calls itself and keeps arrays, which is not supported",
                                    program.functions[std::size_t(index)].name));
                if (reached.insert(call.function).second) open.push_back(call.function);
            }
        }
    }
}

}  // namespace ws::simt
