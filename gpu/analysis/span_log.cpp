#include "gpu/analysis/span_log.h"

#include <algorithm>
#include <cmath>

#include "gpu/analysis/warp_clock.h"

namespace ws {
namespace {

// The chance that a sample of a clock is one warp's, added up over clocks, by scheduler.
class Chances {
  public:
    explicit Chances(std::vector<SpanLog::Change> changes) {
        std::sort(changes.begin(), changes.end(),
                  [](const SpanLog::Change& a, const SpanLog::Change& b) { return a.clock < b.clock; });
        int schedulers = 0;
        for (const SpanLog::Change& one : changes) schedulers = std::max(schedulers, one.scheduler + 1);
        std::vector<int> warps(std::size_t(schedulers), 0);
        until_.resize(warps.size());
        std::int64_t before = 0;
        for (const SpanLog::Change& one : changes) {
            const auto have_any = double(warps.size()) - double(std::count(warps.begin(), warps.end(), 0));
            for (std::size_t i = 0; one.clock > before && i < warps.size(); ++i) {
                const double each = warps[i] > 0 ? 1 / (have_any * warps[i]) : 0;
                const double sum = until_[i].empty() ? 0 : until_[i].back().sum;
                until_[i].push_back({one.clock, sum + each * double(one.clock - before)});
            }
            before = one.clock;
            warps[std::size_t(one.scheduler)] += one.more;
        }
    }
    // Of a warp of the scheduler.
    [[nodiscard]] double between(int scheduler, std::int64_t from, std::int64_t until) const {
        return until > from ? before(scheduler, until) - before(scheduler, from) : 0;
    }

  private:
    struct Until {
        std::int64_t clock = 0;
        double sum = 0;
    };
    [[nodiscard]] double before(int scheduler, std::int64_t clock) const {
        const std::vector<Until>& sums = until_.at(std::size_t(scheduler));
        const auto next = std::upper_bound(sums.begin(), sums.end(), clock,
                                           [](std::int64_t a, const Until& b) { return a < b.clock; });
        if (sums.empty()) return 0;
        if (next == sums.end()) return sums.back().sum;
        const Until last = next == sums.begin() ? Until{} : *std::prev(next);
        return last.sum +
               (next->sum - last.sum) * double(clock - last.clock) / double(next->clock - last.clock);
    }
    std::vector<std::vector<Until>> until_;  // by scheduler
};

}  // namespace

ClockRun SpanLog::as_sampled(const ClockRun& run) const {
    const Chances chances(changes_);
    ClockRun made = run;
    made.states = made.full_states = {};
    made.by_instruction.assign(run.by_instruction.size(), {});
    made.full_by_instruction.assign(run.full_by_instruction.size(), {});
    const std::int64_t full_until = run.full_from + run.full_clocks;
    for (const Logged& one : spans_) {
        const TimelineSpan& span = one.span;
        const auto add = [&](std::int64_t from, std::int64_t until, StateClocks& states,
                             std::vector<StateClocks>& by_instruction) {
            const std::int64_t clocks =
                std::llround(double(kPerClock) * chances.between(one.scheduler, from, until));
            states[std::size_t(span.state)] += clocks;
            by_instruction[std::size_t(span.instruction)][std::size_t(span.state)] += clocks;
        };
        add(span.from, span.until, made.states, made.by_instruction);
        if (!made.full_by_instruction.empty())
            add(std::max(span.from, run.full_from), std::min(span.until, full_until), made.full_states,
                made.full_by_instruction);
    }
    return made;
}

}  // namespace ws
