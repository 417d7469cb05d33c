#include "gpu/simt/flow.h"

#include <algorithm>

namespace ws::simt {

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

}  // namespace ws::simt
