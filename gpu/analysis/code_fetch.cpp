#include "gpu/analysis/code_fetch.h"

#include <algorithm>
#include <utility>

namespace ws {

bool LineCache::use(int line) {
    unlink(line);
    link_first(line);
    return !std::exchange(at_[std::size_t(line)].used, true);
}

void LineCache::put(int line, double ready) {
    if (held_ == room_) {
        const int oldest = links_.back().before;
        unlink(oldest);
        at_[std::size_t(oldest)].in = false;
        --held_;
    }
    ++held_;
    at_[std::size_t(line)] = {ready, true, false};
    link_first(line);
}

void LineCache::unlink(int line) {
    const Link link = links_[std::size_t(line)];
    links_[std::size_t(link.before)].after = link.after;
    links_[std::size_t(link.after)].before = link.before;
}

void LineCache::link_first(int line) {
    const int none = int(links_.size()) - 1;
    const int first = links_[std::size_t(none)].after;
    links_[std::size_t(line)] = {none, first};
    links_[std::size_t(first)].before = line;
    links_[std::size_t(none)].after = line;
}

CodeFetch::CodeFetch(const MachineCode& code, const CodeRates& rates, int schedulers, MemoryPath& memory)
    : rates_(rates),
      memory_(memory),
      lines_(code.instructions.empty() ? 0 : line_of(code.instructions.back()) + 1),
      l0_(std::size_t(schedulers), LineCache(lines_, rates.l0_bytes / kLineBytes)),
      l0_free_(std::size_t(schedulers), 0.0),
      l15_(lines_, rates.l15_bytes / kLineBytes) {
    for (int line = 0; line < lines_; ++line) l15_.put(line, 0);
}

double CodeFetch::fetch(int scheduler, int line, double now) {
    LineCache& l0 = l0_[std::size_t(scheduler)];
    if (!l0.has(line)) bring(scheduler, line, now);
    const double ready = std::max(now, l0.ready(line));
    if (l0.use(line))
        for (int next = line + 1; next <= std::min(line + rates_.ahead, lines_ - 1); ++next)
            if (!l0.has(next)) bring(scheduler, next, now);
    return ready;
}

void CodeFetch::bring(int scheduler, int line, double now) {
    if (!l15_.has(line)) l15_.put(line, memory_.code_line(now) + rates_.l2_latency - rates_.l15_latency);
    (void)l15_.use(line);
    double& free = l0_free_[std::size_t(scheduler)];
    const double begin = std::max({now, l15_.ready(line), free});
    free = begin + rates_.line;
    l0_[std::size_t(scheduler)].put(line, begin + rates_.l15_latency);
}

}  // namespace ws
