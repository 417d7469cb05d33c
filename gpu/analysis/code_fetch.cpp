#include "gpu/analysis/code_fetch.h"

#include <algorithm>

#include "gpu/analysis/warp_clock.h"

namespace ws {

CodeFetch::CodeFetch(const ClockLoad& load, const CodeRates& rates, MemoryPath& memory)
    : rates_(rates),
      memory_(memory),
      lines_(load.code->instructions.empty() ? 0 : line_of(load.code->instructions.back()) + 1),
      alone_(load.only_latencies),
      sharers_(std::max(1.0, rates.gpc * load.busy_share)),
      schedulers_(std::size_t(std::max(1, load.schedulers)),
                  Scheduler{LineCache(lines_, rates.l0_lines, 1, rates.l0_lines), {}}),
      l1_(lines_, rates.l1_bytes / kLineBytes, 1, rates.ways),
      l15_(lines_, rates.l15_bytes / kLineBytes, rates.l15_block, rates.ways) {
    for (int line = 0; line < lines_; ++line) l15_.put(line, 0);
}

double CodeFetch::fetch(int scheduler, int line, Asked when) {
    auto& [l0, turns] = schedulers_[std::size_t(scheduler)];
    for (Calendar* one : {&turns, &l1_port_, &l15_port_}) one->forget(when.now);
    const double there = bring_to_l1(line, when.now);
    if (l1_.use(line))
        for (int next = line + 1; next <= std::min(line + rates_.ahead, lines_ - 1); ++next)
            (void)bring_to_l1(next, when.now);
    if (!l0.has(line)) bring_to_l0(l0, line, when.follows ? when.now : when.from, there);
    const double begins = take(turns, std::max(l0.ready(line), when.from - rates_.turn), rates_.turn);
    const double ready = std::max(when.from, begins + rates_.turn);
    (void)l0.use(line);
    for (int next = line + 1; next <= std::min(line + rates_.l0_ahead, lines_ - 1); ++next)
        if (!l0.has(next)) bring_to_l0(l0, next, begins, bring_to_l1(next, when.now));
    return ready;
}

void CodeFetch::bring_to_l0(LineCache& l0, int line, double from, double there) {
    l0.put(line, there > from ? there : take(l1_port_, from, rates_.l1_port) + rates_.l1_latency);
}

double CodeFetch::bring_to_l1(int line, double now) {
    if (!l1_.has(line)) {
        const double there = std::max(now + rates_.jump, bring_to_l15(line, now));
        (void)l15_.use(line);
        const double given = take(l15_port_, there, l15_clocks(line, now));
        l1_.put(line, take(l1_port_, given + rates_.l15_latency, rates_.l1_port));
    }
    return l1_.ready(line);
}

// The two multiprocessors of a TPC get a line at once that both want, as they do while they are in step.
double CodeFetch::l15_clocks(int line, double now) {
    return rates_.l15_port * std::max(1.0, steps_.fetch(line, now) ? sharers_ / 2 : sharers_);
}

double CodeFetch::bring_to_l15(int line, double now) {
    if (!l15_.has(line)) {
        const int first = line - line % rates_.l15_together;
        const int end = std::min(first + rates_.l15_together, lines_);
        for (int one = first; one < end; ++one)
            if (!l15_.has(one)) l15_.put(one, std::max(now, memory_.code_line(now)) + rates_.l2_latency);
    }
    return l15_.ready(line);
}

}  // namespace ws
