#include "gpu/analysis/machine_flow.h"

#include <algorithm>
#include <deque>

namespace ws {
namespace {

using Edges = std::vector<std::vector<int>>;

Edges reversed(const Edges& next) {
    Edges before(next.size());
    for (std::size_t b = 0; b < next.size(); ++b)
        for (const int to : next[b]) before[std::size_t(to)].push_back(int(b));
    return before;
}

// Depth first from a root, each node behind all that are reached from it, and the whole turned round.
void add_order(const Edges& next, int root, std::vector<bool>& seen, std::vector<int>& order) {
    std::vector<std::pair<int, std::size_t>> open;
    const auto visit = [&](int node) {
        if (seen[std::size_t(node)]) return;
        seen[std::size_t(node)] = true;
        open.emplace_back(node, 0);
    };
    visit(root);
    while (!open.empty()) {
        auto& [node, edge] = open.back();
        const std::vector<int>& edges = next[std::size_t(node)];
        if (edge < edges.size()) {
            visit(edges[edge++]);
        } else {
            order.push_back(node);
            open.pop_back();
        }
    }
}

// The nearest dominator of each node that the root reaches; -1: none (Cooper, Harvey and Kennedy, "A simple,
// fast dominance algorithm").
std::vector<int> dominators(const Edges& next, int root) {
    std::vector<bool> seen(next.size());
    std::vector<int> order;
    add_order(next, root, seen, order);
    std::reverse(order.begin(), order.end());
    std::vector<int> place(next.size(), -1);
    for (std::size_t i = 0; i < order.size(); ++i) place[std::size_t(order[i])] = int(i);
    const Edges before = reversed(next);
    std::vector<int> made(next.size(), -1);
    const auto meet = [&](int a, int b) {
        while (a != b) {
            int& later = place[std::size_t(a)] > place[std::size_t(b)] ? a : b;
            later = made[std::size_t(later)];
        }
        return a;
    };
    made[std::size_t(root)] = root;
    for (bool changed = true; changed;) {
        changed = false;
        for (const int node : order) {
            if (node == root) continue;
            int found = -1;
            for (const int from : before[std::size_t(node)])
                if (made[std::size_t(from)] >= 0) found = found < 0 ? from : meet(found, from);
            changed |= made[std::size_t(node)] != found;
            made[std::size_t(node)] = found;
        }
    }
    made[std::size_t(root)] = -1;
    return made;
}

const MachineInstruction& last_of(const MachineCode& code, int block) {
    return code.instructions[std::size_t(code.blocks[std::size_t(block)].end - 1)];
}

}  // namespace

std::vector<int> way_through(const MachineCode& code, int first) {
    std::vector<int> from(code.blocks.size(), -2);
    std::deque<int> open{first};
    from[std::size_t(first)] = -1;
    while (!open.empty()) {
        const int at = open.front();
        open.pop_front();
        if (last_of(code, at).name == "RET") {
            std::vector<int> way;
            for (int block = at; block >= 0; block = from[std::size_t(block)]) way.push_back(block);
            std::reverse(way.begin(), way.end());
            return way;
        }
        for (const int to : code.blocks[std::size_t(at)].next) {
            if (from[std::size_t(to)] != -2) continue;
            from[std::size_t(to)] = at;
            open.push_back(to);
        }
    }
    return {};
}

DominatorTree::DominatorTree(const std::vector<int>& nearest) : first_(nearest.size()), end_(nearest.size()) {
    std::vector<std::vector<int>> below(nearest.size());
    std::vector<int> open;
    for (std::size_t b = nearest.size(); b-- > 0;)
        (nearest[b] < 0 ? open : below[std::size_t(nearest[b])]).push_back(int(b));
    int number = 0;
    std::vector<int> order;
    while (!open.empty()) {
        const auto at = std::size_t(open.back());
        open.pop_back();
        first_[at] = number++;
        order.push_back(int(at));
        open.insert(open.end(), below[at].begin(), below[at].end());
    }
    // What is below a block follows it: the last of it first.
    for (std::size_t i = order.size(); i-- > 0;) {
        const auto at = std::size_t(order[i]);
        end_[at] = std::max(end_[at], first_[at] + 1);
        if (nearest[at] < 0) continue;
        int& end = end_[std::size_t(nearest[at])];
        end = std::max(end, end_[at]);
    }
}

MachineFlow::MachineFlow(const MachineCode& code) {
    if (code.blocks.empty()) return;
    find_edges(code);
    find_order();
    before = DominatorTree(dominators(next, 0));
    // What ends has one end more in common.
    const int end = int(next.size());
    Edges to_end = next;
    to_end.emplace_back();
    for (int b = 0; b < end; ++b)
        if (next[std::size_t(b)].empty() || last_of(code, b).name == "EXIT")
            to_end[std::size_t(b)].push_back(end);
    std::vector<int> nearest = dominators(reversed(to_end), end);
    nearest.pop_back();
    for (int& block : nearest)
        if (block == end) block = -1;
    behind = DominatorTree(nearest);
}

void MachineFlow::find_edges(const MachineCode& code) {
    next.resize(code.blocks.size());
    called.resize(code.blocks.size());
    for (std::size_t b = 0; b < next.size(); ++b) {
        const MachineInstruction& last = last_of(code, int(b));
        next[b] = code.blocks[b].next;
        // The simulated GPU's warps meet again where they can.
        if (last.if_diverged && next[b].size() > 1) next[b] = {int(b) + 1};
        if (last.kind != MachineKind::call || last.guarded || last.target < 0) continue;
        const auto returns_to = std::size_t(code.blocks[b].end);
        const auto target = std::size_t(last.target / kMachineInstructionBytes);
        if (returns_to >= code.instructions.size()) continue;
        called[b] = way_through(code, code.instructions[target].block);
        if (!called[b].empty()) next[b] = {code.instructions[returns_to].block};
    }
    avoidable.assign(next.size(), true);
    avoidable[0] = false;
    for (const std::vector<int>& edges : next)
        if (edges.size() == 1) avoidable[std::size_t(edges.front())] = false;
}

void MachineFlow::find_order() {
    std::vector<bool> seen(next.size());
    // Backwards, so that what only calls reach comes first when all is turned round.
    std::vector<int> all;
    for (std::size_t b = 0; b < next.size(); ++b) add_order(next, int(b), seen, all);
    order.assign(all.rbegin(), all.rend());
    place.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[std::size_t(order[i])] = int(i);
}

}  // namespace ws
