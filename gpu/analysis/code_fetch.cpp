#include "gpu/analysis/code_fetch.h"

#include <algorithm>
#include <utility>

namespace ws {

bool LineCache::use(int line) {
    const int block = line / block_;
    use_block(set_of(block), block);
    return !std::exchange(at_[std::size_t(line)].used, true);
}

void LineCache::put(int line, double ready) {
    const int block = line / block_;
    Set& set = set_of(block);
    if (!use_block(set, block)) {
        if (set.size() == ways_) {
            remove(set.back());
            set.pop_back();
        }
        set.insert(set.begin(), block);
    }
    at_[std::size_t(line)] = {ready, true, false};
}

bool LineCache::use_block(Set& set, int block) {
    const auto at = std::find(set.begin(), set.end(), block);
    if (at == set.end()) return false;
    std::rotate(set.begin(), at, at + 1);
    return true;
}

void LineCache::remove(int block) {
    const int end = std::min((block + 1) * block_, int(at_.size()));
    for (int line = block * block_; line < end; ++line) at_[std::size_t(line)].in = false;
}

CodeFetch::CodeFetch(const MachineCode& code, const CodeRates& rates, int schedulers, MemoryPath& memory)
    : rates_(rates),
      memory_(memory),
      lines_(code.instructions.empty() ? 0 : line_of(code.instructions.back()) + 1),
      l0_(std::size_t(schedulers), LineCache(lines_, rates.l0_bytes / kLineBytes, 1, rates.ways)),
      l0_fills_(std::size_t(schedulers)),
      l15_(lines_, rates.l15_bytes / kLineBytes, rates.l15_block, rates.ways) {
    for (int line = 0; line < lines_; ++line) l15_.put(line, 0);
}

double CodeFetch::fetch(int scheduler, int line, Asked when) {
    l0_fills_[std::size_t(scheduler)].forget(when.now);
    LineCache& l0 = l0_[std::size_t(scheduler)];
    if (!l0.has(line)) bring(scheduler, line, when);
    const double ready = std::max(when.from, l0.ready(line));
    if (l0.use(line))
        for (int next = line + 1; next <= std::min(line + rates_.ahead, lines_ - 1); ++next)
            if (!l0.has(next)) bring(scheduler, next, when);
    return ready;
}

void CodeFetch::bring(int scheduler, int line, Asked when) {
    const double there = std::max(when.from, bring_to_l15(line, when));
    (void)l15_.use(line);
    const double begins = l0_fills_[std::size_t(scheduler)].take(there, rates_.line);
    l0_[std::size_t(scheduler)].put(line, begins + rates_.l15_latency);
}

double CodeFetch::bring_to_l15(int line, Asked when) {
    if (!l15_.has(line)) {
        const int first = line - line % rates_.l15_together;
        const int end = std::min(first + rates_.l15_together, lines_);
        for (int one = first; one < end; ++one)
            if (!l15_.has(one))
                l15_.put(one, std::max(when.from, memory_.code_line(when.now)) + rates_.l2_latency);
    }
    return l15_.ready(line);
}

}  // namespace ws
