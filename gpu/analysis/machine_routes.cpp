#include "gpu/analysis/machine_routes.h"

#include <algorithm>
#include <array>

namespace ws {
namespace {

constexpr int kLost = 500 * kCostUnit;  // no way leads there
constexpr int kAgain = kCostUnit;       // a branch back: a loop that is unrolled is the one to take
constexpr int kMostBack = 3;            // branches back between two executions

const MachineShare* share_of(const std::vector<MachineShare>& shares, int ptx_block) {
    for (const MachineShare& one : shares)
        if (one.ptx_block == ptx_block) return &one;
    return nullptr;
}

int missing(const std::vector<int>& values, const std::vector<int>& in) {
    return int(std::count_if(values.begin(), values.end(),
                             [&](int value) { return !std::binary_search(in.begin(), in.end(), value); }));
}

// An execution of the same PTX block, in a loop that is unrolled, has what it needs.
bool is_of_another(const MachineShare* from, int ptx_block) {
    return !from || from->ptx_block != ptx_block;
}

void take_away(std::vector<int>& costs, const std::vector<std::pair<int, int>>& explained) {
    for (const auto& [block, cost] : explained) costs[std::size_t(block)] -= cost;
}

}  // namespace

MachineRoutes::MachineRoutes(const MachineCode& code, const KernelTrace& trace, const MachineFlow& flow,
                             const MachineShares& shares, MachineUnrolled& unrolled)
    : code_(code), flow_(flow), shares_(shares), unrolled_(unrolled), shared_(trace.ptx_lines.size()) {
    for (std::size_t b = 0; b < code.blocks.size(); ++b) {
        costs_.push_back(cost_of(int(b)));
        for (const MachineShare& share : shares_.of_block(int(b))) {
            std::vector<int>& blocks = shared_[std::size_t(share.ptx_block)];
            if (blocks.empty() || blocks.back() != int(b)) blocks.push_back(int(b));
        }
    }
    passed_.resize(code.blocks.size() * kMostBack, kAnyCost);
    previous_.resize(passed_.size());
}

// Of executing a machine block for nothing. Of two ways that explain the same the shorter is taken.
int MachineRoutes::cost_of(int block) const {
    int called = 0;
    for (const int inside : flow_.called[std::size_t(block)])
        called += code_.blocks[std::size_t(inside)].end - code_.blocks[std::size_t(inside)].first;
    const int cost = shares_.cost(block);
    // A function is called for what a short sequence cannot compute, which is rare, if there is a way past.
    return cost + cost / kCostUnit + called * (flow_.avoidable[std::size_t(block)] ? kCostUnit + 1 : 1);
}

// How much of a machine block on the way belongs to an execution that another one stands for.
int MachineRoutes::explained(int block, const MachineShare& home) const {
    if (home.block == block) return 0;
    const MachineShare* share = share_of(shares_.of_block(block), home.ptx_block);
    if (!share || share->is_sure) return 0;
    int lines = missing(share->lines, home.lines_with_it);
    const int last = shares_.last_line(home.ptx_block);
    if (share->branches && !std::binary_search(home.lines_with_it.begin(), home.lines_with_it.end(), last))
        --lines;
    return share->cost * missing(share->pieces, home.pieces) / int(share->pieces.size()) + kCostUnit * lines;
}

const MachineRoutes::Explained& MachineRoutes::explained_by(const MachineShare& home) {
    const auto [found, is_new] = explained_.try_emplace(&home);
    if (is_new)
        for (const int block : shared_[std::size_t(home.ptx_block)])
            found->second.emplace_back(block, explained(block, home));
    return found->second;
}

// Of the home's own machine block.
int MachineRoutes::arrival(const MachineShare* from, const MachineShare& to) const {
    const int cost = costs_[std::size_t(to.block)];
    return from && is_of_another(from, to.ptx_block) ? cost - explained(to.block, *from) : cost;
}

bool MachineRoutes::ends(int block) const {
    const MachineBlock& range = code_.blocks[std::size_t(block)];
    return code_.instructions[std::size_t(range.end - 1)].name == "EXIT";
}

int MachineRoutes::number(const MachineShare* from, const MachineShare* to) {
    return *number_within(from, to, kAnyCost);
}

std::optional<int> MachineRoutes::number_within(const MachineShare* from, const MachineShare* to, int most) {
    const Ends ends{from, to};
    if (const auto known = numbers_.find(ends); known != numbers_.end())
        return (*this)[known->second].cost <= most ? std::optional(known->second) : std::nullopt;
    int& beyond = beyond_.try_emplace(ends, -kAnyCost).first->second;
    if (beyond >= most) return std::nullopt;
    const std::optional<MachineRoute> found = find(from, to, most);
    if (!found) {
        beyond = most;
        return std::nullopt;
    }
    const int number = int(routes_.size());
    numbers_.emplace(ends, number);
    routes_.push_back(with_calls(from, *found));
    return found->cost <= most ? std::optional(number) : std::nullopt;
}

MachineRoute MachineRoutes::with_calls(const MachineShare* from, const MachineRoute& route) const {
    MachineRoute made{route.cost, {}};
    const auto add_called = [&](int block) {
        const std::vector<int>& called = flow_.called[std::size_t(block)];
        made.blocks.insert(made.blocks.end(), called.begin(), called.end());
    };
    if (from) add_called(from->block);
    for (const int block : route.blocks) {
        made.blocks.push_back(block);
        add_called(block);
    }
    return made;
}

// Along the order of the blocks, once for each number of branches back that have been taken.
std::optional<MachineRoute> MachineRoutes::find(const MachineShare* from, const MachineShare* to, int most) {
    if (from && !to && ends(from->block)) return MachineRoute{};
    const std::size_t count = code_.blocks.size();
    std::vector<int> costs = costs_;
    if (from) take_away(costs, explained_by(*from));
    if (to && is_of_another(from, to->ptx_block)) take_away(costs, explained_by(*to));
    const int goal = to ? to->block : -1;
    const int at_goal = to ? arrival(from, *to) : 0;
    // What is still to come costs no less than nothing.
    const bool may_stop =
        most < kLost && at_goal >= 0 && std::ranges::none_of(costs, [](int cost) { return cost < 0; });
    const int most_passed = may_stop ? most : kAnyCost;

    struct Reached {
        std::size_t first = 0, end = 0;  // places in the order with those that are reached
    };
    std::array<Reached, kMostBack> reached;
    reached.fill({count, 0});
    MachineRoute best{kAnyCost, {}};
    int last = -1;
    bool stopped = false;
    const auto finish = [&](int cost, int at) {
        if (cost >= best.cost) return;
        best.cost = cost;
        last = at;
    };
    const auto reach = [&](int block, int back, int cost, int at) {
        if (back >= kMostBack) return;
        if (block == goal) {
            finish(cost + at_goal, at);
            return;
        }
        const std::size_t place = std::size_t(back) * count + std::size_t(block);
        cost += costs[std::size_t(block)];
        if (cost >= passed_[place]) return;
        if (cost > most_passed) {
            stopped = true;
            return;
        }
        passed_[place] = cost;
        previous_[place] = at;
        Reached& of_back = reached[std::size_t(back)];
        const auto in_order = std::size_t(flow_.place[std::size_t(block)]);
        of_back.first = std::min(of_back.first, in_order);
        of_back.end = std::max(of_back.end, in_order + 1);
    };
    const MachineUnrolled::Edges none;
    const MachineUnrolled::Edges& shortcuts = to ? unrolled_.shortcuts(*to) : none;
    const auto leave = [&](int block, int back, int cost, int at) {
        for (const int next : flow_.next[std::size_t(block)]) {
            if (!shortcuts.empty() && shortcuts.contains({block, next})) continue;
            const bool again = flow_.goes_back(block, next);
            reach(next, back + (again ? 1 : 0), cost + (again ? kAgain : 0), at);
        }
    };
    if (from)
        leave(from->block, 0, 0, -1);
    else
        reach(0, 0, 0, -1);
    for (std::size_t back = 0; back < kMostBack; ++back) {
        for (std::size_t i = reached[back].first; i < reached[back].end; ++i) {
            const int block = flow_.order[i];
            const std::size_t place = back * count + std::size_t(block);
            const int cost = passed_[place];
            if (cost == kAnyCost) continue;
            if (!to && ends(block)) finish(cost, int(place));
            leave(block, int(back), cost, int(place));
        }
    }
    for (std::size_t back = 0; back < kMostBack; ++back)
        for (std::size_t i = reached[back].first; i < reached[back].end; ++i)
            passed_[back * count + std::size_t(flow_.order[i])] = kAnyCost;
    if (stopped && best.cost > most) return std::nullopt;
    if (best.cost == kAnyCost) return MachineRoute{kLost, {}};
    for (int at = last; at >= 0; at = previous_[std::size_t(at)]) best.blocks.push_back(at % int(count));
    std::reverse(best.blocks.begin(), best.blocks.end());
    return best;
}

}  // namespace ws
