#include "gpu/analysis/scheduler_pipes.h"

#include <algorithm>
#include <optional>

#include "gpu/analysis/latest.h"

namespace ws {
namespace {

std::optional<Part> part_of(MachinePipe pipe) {
    switch (pipe) {
        case MachinePipe::fma:
        case MachinePipe::fma_heavy:
            return Part::fma;
        case MachinePipe::alu:
            return Part::alu;
        case MachinePipe::fp64:
            return Part::fp64;
        case MachinePipe::xu:
            return Part::xu;
        default:
            return std::nullopt;  // units that no bound stands for
    }
}

}  // namespace

SchedulerPipes::SchedulerPipes(const ClockRates& rates) : rates_(rates), clocks_(rates.pipe_clocks) {
    constexpr auto kXu = std::size_t(MachinePipe::xu);
    constexpr auto kFma = std::size_t(MachinePipe::fma);
    constexpr auto kHeavy = std::size_t(MachinePipe::fma_heavy);
    for (std::size_t pipe = 0; pipe < goes_to_.size(); ++pipe) goes_to_[pipe] = MachinePipe(pipe);
    then_.fill(MachinePipe::unknown);
    room_ahead_[kXu] = std::max(0.0, clocks_[kXu] - kOnTheWayToXu);
    if (clocks_[kHeavy] < 2 * clocks_[kFma]) return;
    clocks_[kFma] *= 2;
    goes_to_[kFma] = then_[kFma] = MachinePipe::fma_heavy;
    then_[kHeavy] = MachinePipe::fma;
}

// Without branches: which pipes follow each other is as if thrown.
double SchedulerPipes::take(MachinePipe wanted, int passes, double now) {
    constexpr auto kFma = std::size_t(MachinePipe::fma);
    const MachinePipe pipe = goes_to_[std::size_t(wanted)];
    const double clocks = clocks_[std::size_t(wanted)] * passes;
    const double begins = latest(free_[std::size_t(pipe)], now);
    free_[std::size_t(pipe)] = begins + clocks;
    busy_[std::size_t(pipe)] += clocks;
    const MachinePipe then = then_[std::size_t(pipe)];
    goes_to_[kFma] = then == MachinePipe::unknown ? goes_to_[kFma] : then;
    taken_[std::size_t(wanted)].add_if(true, now);
    taken_[std::size_t(pipe)].add_if(pipe != wanted, now);
    return begins - now;
}

int SchedulerPipes::Times::since(double then) const {
    // Not long ago: from the last one back.
    std::size_t first = count_;
    while (first > 0 && times_[first - 1] >= then) --first;
    return int(count_ - first);
}

int SchedulerPipes::taken_since(MachinePipe pipe, double then) const {
    return taken_[std::size_t(pipe)].since(then);
}

void SchedulerPipes::add_busy(std::array<double, kParts>& busy, std::size_t schedulers) const {
    std::array<double, kParts> own{};
    for (std::size_t pipe = 0; pipe < busy_.size(); ++pipe)
        if (const std::optional<Part> part = part_of(MachinePipe(pipe)))  // the busier half stands for both
            own[std::size_t(*part)] = std::max(own[std::size_t(*part)], busy_[pipe]);
    for (std::size_t part = 0; part < kParts; ++part) busy[part] += own[part] / double(schedulers);
}

}  // namespace ws
