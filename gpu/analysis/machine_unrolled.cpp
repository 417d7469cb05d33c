#include "gpu/analysis/machine_unrolled.h"

#include <algorithm>

namespace ws {

const MachineUnrolled::Edges& MachineUnrolled::shortcuts(const MachineShare& to) {
    const auto [found, is_new] = shortcuts_.try_emplace(&to);
    if (is_new)
        for (const MachineShare* home : shares_.homes(to.ptx_block))
            if (home->copies > to.copies) add_shortcuts(found->second, to.block, home->block);
    return found->second;
}

bool MachineUnrolled::reaches(int from, int to) {
    if (reached_.empty()) {
        const std::size_t count = flow_.next.size();
        reached_.assign(count, std::vector<bool>(count));
        for (auto block = flow_.order.rbegin(); block != flow_.order.rend(); ++block) {
            std::vector<bool>& mine = reached_[std::size_t(*block)];
            mine[std::size_t(*block)] = true;
            for (const int next : flow_.next[std::size_t(*block)]) {
                if (flow_.goes_back(*block, next)) continue;
                const std::vector<bool>& its = reached_[std::size_t(next)];
                for (std::size_t b = 0; b < count; ++b) mine[b] = mine[b] || its[b];
            }
        }
    }
    return reached_[std::size_t(from)][std::size_t(to)];
}

void MachineUnrolled::add_shortcuts(Edges& made, int to, int larger) {
    if (!reaches(larger, to)) return;
    for (int block = 0; block < int(flow_.next.size()); ++block) {
        const std::vector<int>& next = flow_.next[std::size_t(block)];
        if (next.size() < 2 || !reaches(block, larger) || block == larger || asks_for(block, larger))
            continue;
        for (const int past : next)
            if (!flow_.goes_back(block, past) && reaches(past, to) && !reaches(past, larger))
                made.emplace(block, past);
    }
}

// Whether its branch leads there and nowhere else.
bool MachineUnrolled::asks_for(int block, int home) const {
    return std::any_of(flow_.next[std::size_t(block)].begin(), flow_.next[std::size_t(block)].end(),
                       [&](int at) {
                           while (at != home && flow_.next[std::size_t(at)].size() == 1 &&
                                  !flow_.goes_back(at, flow_.next[std::size_t(at)].front()))
                               at = flow_.next[std::size_t(at)].front();
                           return at == home;
                       });
}

}  // namespace ws
