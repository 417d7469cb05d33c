#include "gpu/analysis/machine_alignment.h"

#include <algorithm>
#include <tuple>

namespace ws {
namespace {

constexpr int kNever = 1 << 28;
constexpr int kWorse = 24 * kCostUnit;   // than the best, and never taken up again
constexpr std::size_t kMostStates = 16;  // that are followed at once
constexpr std::size_t kManySets = 1000;  // of a kernel that never does the same twice: then follow few
constexpr std::size_t kFewStates = 2;

}  // namespace

MachineAlignment::MachineAlignment(const MachineCode& code, const KernelTrace& trace)
    : flow_(code),
      shares_(code, trace, flow_),
      unrolled_(flow_, shares_),
      routes_(code, trace, flow_, shares_, unrolled_) {
    find_followers(trace);
    std::vector<State> begin(1);
    (void)number_of(begin);
}

void MachineAlignment::find_followers(const KernelTrace& trace) {
    const std::size_t count = trace.ptx_lines.size();
    const std::size_t words = (count + 63) / 64;
    follows_.assign(count, std::vector<std::uint64_t>(words, trace.ptx_next.empty() ? ~0ull : 0));
    // From the last block to the first, as long as a way back adds something.
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block = trace.ptx_next.size(); block-- > 0;) {
            std::vector<std::uint64_t>& all = follows_[block];
            const auto add = [&](std::size_t word, std::uint64_t some) {
                changed |= (some & ~all[word]) != 0;
                all[word] |= some;
            };
            for (const int next : trace.ptx_next[block]) {
                add(std::size_t(next) / 64, std::uint64_t(1) << (next % 64));
                for (std::size_t word = 0; word < words; ++word) add(word, follows_[std::size_t(next)][word]);
            }
        }
    }
}

int MachineAlignment::step(int after, int ptx_block) {
    const int set = after < 0 ? 0 : steps_[std::size_t(after)].set;
    for (const auto& [block, step] : sets_[std::size_t(set)].next)
        if (block == ptx_block) return step;
    const auto number = int(steps_.size());
    steps_.push_back(make_step(set, ptx_block));
    sets_[std::size_t(set)].next.emplace_back(ptx_block, number);
    return number;
}

// The number of a set with these states, in which the cheapest costs nothing.
int MachineAlignment::number_of(std::vector<State>& states) {
    int least = kNever;
    for (const State& state : states) least = std::min(least, state.cost);
    std::vector<std::intptr_t> key;
    for (State& state : states) {
        state.cost -= least;
        key.insert(key.end(), {reinterpret_cast<std::intptr_t>(state.home), state.copy, state.cost});
    }
    const auto [found, is_new] = numbers_.try_emplace(std::move(key), int(sets_.size()));
    if (is_new) sets_.push_back({states, {}, -1});
    return found->second;
}

// Whether an execution is the next one in the machine block's same visit, and in which copy. PTX blocks of an
// iteration come in their order.
bool MachineAlignment::stays(const State& state, const MachineShare& home, int& copy) const {
    if (!state.home || state.home->block != home.block) return false;
    copy = state.copy + (home.ptx_block <= state.home->ptx_block ? 1 : 0);
    return copy < home.copies;
}

// How each home of the PTX block is entered from each state, in this order. What costs so much that nothing
// can come of it is left out: the ways from most states are long.
std::vector<MachineAlignment::Entry> MachineAlignment::entries_of(const std::vector<State>& before,
                                                                  int ptx_block) {
    int best = kNever;
    for (const State& state : before) best = std::min(best, state.cost);
    std::vector<Entry> entries;
    for (const State& state : before) {
        for (const MachineShare* home : shares_.homes(ptx_block)) {
            Entry& entry = entries.emplace_back();
            entry.gain = home->cost / home->copies + shares_.covered(*home);
            const int without = state.cost - entry.gain;  // the way
            if (int copy = 0; stays(state, *home, copy)) best = std::min(best, without);
            const int most = best + kWorse + may_still_explain({home, 0, 0}, ptx_block) - without;
            const std::optional<int> way = routes_.number_within(state.home, home, most);
            if (!way) continue;
            entry.way = *way;
            best = std::min(best, without + routes_[*way].cost);
        }
    }
    return entries;
}

MachineAlignment::Step MachineAlignment::make_step(int set, int ptx_block) {
    const std::vector<State> before = sets_[std::size_t(set)].states;
    std::vector<State> states;
    std::vector<Origin> origins;
    const auto offer = [&](const State& state, const Origin& origin) {
        for (std::size_t i = 0; i < states.size(); ++i) {
            if (states[i].home != state.home || states[i].copy != state.copy) continue;
            if (state.cost >= states[i].cost) return;
            states[i] = state;
            origins[i] = origin;
            return;
        }
        states.push_back(state);
        origins.push_back(origin);
    };
    std::vector<Entry> entries = entries_of(before, ptx_block);
    std::size_t next = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const State& state = before[i];
        offer(state, {int(i), true, -1, 0});
        for (const MachineShare* home : shares_.homes(ptx_block)) {
            const Entry& entry = entries[next++];
            int copy = 0;
            if (stays(state, *home, copy))
                offer({home, copy, state.cost - entry.gain}, {int(i), false, -1, home->block});
            if (entry.way >= 0)
                offer({home, 0, state.cost + routes_[entry.way].cost - entry.gain},
                      {int(i), false, entry.way, home->block});
        }
    }
    int best = kNever;
    std::vector<int> hopes;  // what each costs at least in the end
    for (const State& state : states) {
        best = std::min(best, state.cost);
        hopes.push_back(state.cost - may_still_explain(state, ptx_block));
    }
    std::vector<std::tuple<int, int, std::size_t>> by_hope;
    for (std::size_t i = 0; i < states.size(); ++i) by_hope.emplace_back(hopes[i], states[i].cost, i);
    std::sort(by_hope.begin(), by_hope.end());
    const std::size_t most = sets_.size() < kManySets ? kMostStates : kFewStates;
    Step made{0, int(origins_.size())};
    std::vector<State> kept;
    for (const auto& [hope, cost, i] : by_hope) {
        if (kept.size() >= most) break;
        if (hopes[i] > best + kWorse) continue;
        bool is_worse = false;  // than another one in the same copy of the same machine block
        for (std::size_t k = 0; k < states.size() && !is_worse; ++k) {
            if (k == i || !states[i].home || !states[k].home) continue;
            if (states[i].home->block != states[k].home->block || states[i].copy != states[k].copy) continue;
            const auto mine = std::tuple(states[i].cost, hopes[i], i);
            const auto its = std::tuple(states[k].cost, hopes[k], k);
            is_worse = states[k].cost <= states[i].cost && hopes[k] <= hopes[i] && its < mine;
        }
        for (std::size_t k = 0; k < states.size() && !is_worse; ++k)
            is_worse = k != i && is_behind(states[i], states[k], ptx_block);
        if (is_worse) continue;
        kept.push_back(states[i]);
        origins_.push_back(origins[i]);
    }
    made.set = number_of(kept);
    return made;
}

// Whether it has yet to come to the other one's machine block, as every way does, and would gain nothing by
// coming there later than that: not less than the way there has been saved, all that it can stand for is
// still to come, and nothing that is to come has a home before it.
bool MachineAlignment::is_behind(const State& state, const State& other, int ptx_block) {
    if (!other.home) return false;
    const int from = state.home ? state.home->block : 0;
    const int to = other.home->block;
    if (from == to || other.copy > 0 || !flow_.always_behind(to, from)) return false;
    for (const MachineShare& share : shares_.of_block(to))
        if (share.ptx_block <= other.home->ptx_block && may_follow(ptx_block, share.ptx_block)) return false;
    return nothing_between(from, to, ptx_block) &&
           other.cost <= state.cost + routes_.cost(state.home, other.home);
}

// Whether no PTX block that may follow has a home on the way from one machine block to another.
bool MachineAlignment::nothing_between(int from, int to, int ptx_block) {
    const auto [found, is_new] = between_.try_emplace({from, to, ptx_block}, true);
    if (!is_new) return found->second;
    for (std::size_t later = 0; later < follows_.size() && found->second; ++later) {
        if (!may_follow(ptx_block, int(later))) continue;
        for (const MachineShare* home : shares_.homes(int(later)))
            if (unrolled_.reaches(from, home->block) && !unrolled_.reaches(to, home->block))
                found->second = false;
    }
    return found->second;
}

// What further copies in the machine block explain at most, if the executions for them follow.
int MachineAlignment::may_still_explain(const State& state, int ptx_block) const {
    if (!state.home) return 0;
    int sum = 0;
    for (const MachineShare& share : shares_.of_block(state.home->block)) {
        if (!may_follow(ptx_block, share.ptx_block)) continue;
        const int used = state.copy + (share.ptx_block <= state.home->ptx_block ? 1 : 0);
        const int gain = share.cost / share.copies + shares_.covered(share);
        sum += std::max(0, share.copies - used) * gain;
    }
    return sum;
}

int MachineAlignment::end(int after) {
    const int set = after < 0 ? 0 : steps_[std::size_t(after)].set;
    if (const int known = sets_[std::size_t(set)].end; known >= 0) return known;
    const std::vector<State>& states = sets_[std::size_t(set)].states;
    Origin made;
    int least = kNever;
    for (std::size_t i = 0; i < states.size(); ++i) {
        const int way = routes_.number(states[i].home, nullptr);
        const int cost = states[i].cost + routes_[way].cost;
        if (cost >= least) continue;
        least = cost;
        made = {int(i), false, way, -1};
    }
    ends_.push_back(made);
    return sets_[std::size_t(set)].end = int(ends_.size()) - 1;
}

int MachineAlignment::cut(int after) {
    const int set = after < 0 ? 0 : steps_[std::size_t(after)].set;
    if (const int known = sets_[std::size_t(set)].cut; known >= 0) return known;
    const std::vector<State>& states = sets_[std::size_t(set)].states;
    const auto cheapest = std::ranges::min_element(states, {}, [](const State& state) { return state.cost; });
    ends_.push_back({int(cheapest - states.begin()), false, -1, -1});
    return sets_[std::size_t(set)].cut = int(ends_.size()) - 1;
}

std::vector<MachineVisit> MachineAlignment::visits(std::span<const int> steps, int end) const {
    std::vector<MachineVisit> made;
    if (steps.empty()) return made;
    const Origin& last = ends_[std::size_t(end)];
    const auto blocks_of = [&](int route) -> const std::vector<int>& { return routes_[route].blocks; };
    std::vector<const Origin*> origins(steps.size());  // from the last one back
    std::size_t count = last.route >= 0 ? blocks_of(last.route).size() : 0;
    int state = last.state;
    for (std::size_t k = steps.size(); k-- > 0;) {
        origins[k] = &origins_[std::size_t(steps_[std::size_t(steps[k])].first_origin + state)];
        state = origins[k]->state;
        if (origins[k]->route >= 0) count += blocks_of(origins[k]->route).size() + 1;
    }
    made.reserve(count);
    int place = 0;
    const auto pass = [&](int route) {
        for (const int block : blocks_of(route)) made.push_back({block, place, place + 1, place});
    };
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const Origin& origin = *origins[k];
        if (origin.skips) continue;
        if (origin.route >= 0) {
            pass(origin.route);
            made.push_back({origin.block, place, int(k), int(k)});
        }
        made.back().last = int(k);
        place = int(k);
    }
    if (last.route >= 0) pass(last.route);
    return made;
}

}  // namespace ws
