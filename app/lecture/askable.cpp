#include "app/lecture/askable.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/core/counters.h"

namespace ws {
namespace {

const InstructionCounts* counts_of(const Snapshot& snapshot) {
    const StepSnapshot& step = main_step(snapshot);
    return step.counts.stale || !step.counters() ? nullptr : &step.counters()->total;
}

std::optional<Truth> time(const Snapshot& snapshot) {
    constexpr double kMicro = 1000;
    const std::optional<TimeFigure> time = time_of(snapshot.told.now);
    if (!time) return std::nullopt;
    return Truth{time->ms * kMicro, time->kind};
}

std::optional<Truth> speedup(const Snapshot& snapshot) {
    if (!snapshot.told.baseline) return std::nullopt;
    const std::optional<TimePair> pair = times_of(snapshot.told.now, *snapshot.told.baseline);
    if (!pair) return std::nullopt;
    return Truth{pair->speedup(), pair->now.kind};
}

std::optional<Truth> bandwidth(const Snapshot& snapshot) {
    const std::optional<TimeFigure> time = time_of(snapshot.told.now);
    const double bytes = snapshot.told.now.least_bytes;
    if (!time || time->ms <= 0 || bytes <= 0) return std::nullopt;
    constexpr double kPerMillisecond = 1e6;  // bytes a ms that are a GB/s
    return Truth{bytes / time->ms / kPerMillisecond, time->kind};
}

std::optional<Truth> occupancy(const Snapshot& snapshot) {
    const StepSnapshot& step = main_step(snapshot);
    if (!step.occupancy.now) return std::nullopt;
    return Truth{step.occupancy.now->percent, Kind::calculated};
}

std::optional<Truth> registers(const Snapshot& snapshot) {
    const StepSnapshot& step = main_step(snapshot);
    if (!step.occupancy.now) return std::nullopt;
    return Truth{double(step.occupancy.now->resources.registers), Kind::calculated};
}

std::optional<Truth> load_sectors(const Snapshot& snapshot) {
    const InstructionCounts* counts = counts_of(snapshot);
    if (!counts || counts->global_load.requests == 0) return std::nullopt;
    return Truth{counts->global_load.sectors_per_request(), Kind::counted};
}

std::optional<Truth> store_sectors(const Snapshot& snapshot) {
    const InstructionCounts* counts = counts_of(snapshot);
    if (!counts || counts->global_store.requests == 0) return std::nullopt;
    return Truth{counts->global_store.sectors_per_request(), Kind::counted};
}

std::optional<Truth> wavefronts(const Snapshot& snapshot) {
    const InstructionCounts* counts = counts_of(snapshot);
    if (!counts) return std::nullopt;
    const std::uint64_t requests = counts->shared_load.requests + counts->shared_store.requests;
    if (requests == 0) return std::nullopt;
    const std::uint64_t sum = counts->shared_load.wavefronts + counts->shared_store.wavefronts;
    return Truth{double(sum) / double(requests), Kind::counted};
}

// A quarter of a linear axis is a whole number: five stand below it.
constexpr std::array kAskables{
    Askable{"time", "lecture.ask.time", "lecture.unit.time", 10, 100000, true, false, time},
    Askable{"speedup", "lecture.ask.speedup", "lecture.unit.speedup", 0.1, 100, true, true, speedup},
    Askable{"bandwidth", "lecture.ask.bandwidth", "lecture.unit.bandwidth", 1, 10000, true, false, bandwidth},
    Askable{"occupancy", "lecture.ask.occupancy", "lecture.unit.occupancy", 0, 100, false, false, occupancy},
    Askable{"registers", "lecture.ask.registers", "lecture.unit.registers", 0, 256, false, false, registers},
    Askable{"load-sectors", "lecture.ask.load_sectors", "lecture.unit.sectors", 0, 32, false, false,
            load_sectors},
    Askable{"store-sectors", "lecture.ask.store_sectors", "lecture.unit.sectors", 0, 32, false, false,
            store_sectors},
    Askable{"wavefronts", "lecture.ask.wavefronts", "lecture.unit.wavefronts", 0, 32, false, false,
            wavefronts}};

}  // namespace

double place_on_axis(const Askable& askable, double value) {
    value = std::clamp(value, askable.low, askable.high);
    if (!askable.logarithmic) return (value - askable.low) / (askable.high - askable.low);
    return std::log(value / askable.low) / std::log(askable.high / askable.low);
}

double value_on_axis(const Askable& askable, double place) {
    place = std::clamp(place, 0.0, 1.0);
    if (!askable.logarithmic) return askable.low + place * (askable.high - askable.low);
    return askable.low * std::pow(askable.high / askable.low, place);
}

std::span<const Askable> askables() {
    return kAskables;
}

const Askable* askable_named(std::string_view name) {
    const auto found = std::find_if(kAskables.begin(), kAskables.end(),
                                    [&](const Askable& one) { return one.name == name; });
    return found == kAskables.end() ? nullptr : &*found;
}

}  // namespace ws
