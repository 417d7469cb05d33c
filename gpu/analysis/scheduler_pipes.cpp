#include "gpu/analysis/scheduler_pipes.h"

#include <algorithm>
#include <optional>

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

SchedulerPipes::SchedulerPipes(const ClockRates& rates)
    : rates_(rates),
      halves_(rates.pipe_clocks[std::size_t(MachinePipe::fma_heavy)] >=
              2 * rates.pipe_clocks[std::size_t(MachinePipe::fma)]),
      xu_room_ahead_(std::max(0.0, rates.pipe_clocks[std::size_t(MachinePipe::xu)] - kOnTheWayToXu)) {}

double SchedulerPipes::take(MachinePipe wanted, int passes, double now) {
    const MachinePipe pipe = half_of(wanted);
    const bool half = wanted == MachinePipe::fma && halves_;
    const double clocks = clocks_of(wanted) * passes * (half ? 2 : 1);
    const double begins = std::max(free_[std::size_t(pipe)], now);
    free_[std::size_t(pipe)] = begins + clocks;
    busy_[std::size_t(pipe)] += clocks;
    if (pipe == MachinePipe::fma || pipe == MachinePipe::fma_heavy)
        heavy_last_ = pipe == MachinePipe::fma_heavy;
    taken_[std::size_t(wanted)].push_back(now);
    if (pipe != wanted) taken_[std::size_t(pipe)].push_back(now);
    return begins - now;
}

int SchedulerPipes::taken_since(MachinePipe pipe, double then) const {
    const std::vector<double>& taken = taken_[std::size_t(pipe)];
    // Not long ago: from the last one back.
    return int(std::find_if(taken.rbegin(), taken.rend(), [then](double at) { return at < then; }) -
               taken.rbegin());
}

void SchedulerPipes::add_busy(std::array<double, kParts>& busy, std::size_t schedulers) const {
    std::array<double, kParts> own{};
    for (std::size_t pipe = 0; pipe < busy_.size(); ++pipe)
        if (const std::optional<Part> part = part_of(MachinePipe(pipe)))  // the busier half stands for both
            own[std::size_t(*part)] = std::max(own[std::size_t(*part)], busy_[pipe]);
    for (std::size_t part = 0; part < kParts; ++part) busy[part] += own[part] / double(schedulers);
}

}  // namespace ws
