#include "gpu/engine/time_book.h"

#include <fmt/format.h>

namespace ws {
namespace {

using namespace std::chrono_literals;

constexpr auto kWarmUp = 100ms;  // samples before are thrown away: clocks ramp up
constexpr auto kRest = 250ms;  // after which they may have come down again (an H200's stayed up for a second)

}  // namespace

void TimeBook::start() {
    windows_ = {};
    clock_ = {};
    refused_ = 0;
    since_ = Clock::now();
}

bool TimeBook::take(const FrameTimes& times, const ClockReading& clock) {
    const Clock::time_point now = Clock::now();
    if (now - last_take_ > kRest) busy_since_ = now;
    last_take_ = now;
    if (now - busy_since_ < kWarmUp) return false;
    if (!clock.slowed.empty()) {
        ++refused_;
        why_refused_ = clock.slowed;
        return true;
    }
    if (clock.mhz) clock_.add(*clock.mhz);
    for (std::size_t step = 0; step < kMostSteps; ++step) {
        const Sample& sample = times.steps[step];
        if (sample.launches == 0) continue;
        windows_.steps[step].add(sample.ms);
        launches_[step] = sample.launches;
    }
    if (times.total.launches > 0) windows_.total.add(times.total.ms);
    if (times.one_pass.launches > 0) windows_.one_pass.add(times.one_pass.ms);
    windows_.map.add(times.map_ms);
    windows_.unmap.add(times.unmap_ms);
    return true;
}

void TimeBook::publish(Snapshot& snapshot, const WorkKey& key, int version, bool runs, double floor_ms) {
    for (StepSnapshot& shown : snapshot.steps) {
        const SampleWindow& window = windows_.steps[std::size_t(shown.step)];
        shown.time_ms = window.statistics();
        shown.history_ms = window.history();
        shown.launches_per_sample = launches_[std::size_t(shown.step)];
    }
    snapshot.total_ms = windows_.total.statistics();
    snapshot.total_history_ms = windows_.total.history();
    snapshot.one_pass_ms = windows_.one_pass.statistics();
    snapshot.map_ms = windows_.map.statistics();
    snapshot.unmap_ms = windows_.unmap.statistics();
    snapshot.clock = clock_;
    snapshot.refused.clear();
    if (refused_ > 0) snapshot.refused = fmt::format("{} samples are refused: {}", refused_, why_refused_);
    if (snapshot.total_ms.samples == 0) {
        snapshot.warming_up = runs;
        return;
    }
    if (!snapshot.device.can.measures_time) return;
    if (snapshot.total_ms.median < floor_ms) {
        snapshot.refused =
            fmt::format("a time of {:.4f} ms is not believed: what must be moved takes {:.4f} ms",
                        snapshot.total_ms.median, floor_ms);
        snapshot.total_ms = {};
        return;
    }
    VersionTimes times;
    for (std::size_t step = 0; step < kMostSteps; ++step)
        times.steps[step] = windows_.steps[step].statistics();
    for (const LaunchKey& launch : key.launches) times.blocks[std::size_t(launch.step)] = launch.block;
    times.total_ms = snapshot.total_ms;
    const auto own = version_keys_.find(version);
    if (own != version_keys_.end() && own->second == key) snapshot.version_times[version] = times;
    board_.put(key, times);
}

std::optional<Statistics> TimeBook::total_of(const WorkKey& key) const {
    const VersionTimes* times = board_.find(key);
    if (!times || times->total_ms.samples == 0) return std::nullopt;
    return times->total_ms;
}

void TimeBook::use_versions(std::map<int, WorkKey> keys, Snapshot& snapshot) {
    version_keys_ = std::move(keys);
    snapshot.version_times.clear();
    for (const auto& [version, key] : version_keys_) {
        if (const VersionTimes* times = board_.find(key)) snapshot.version_times[version] = *times;
    }
}

}  // namespace ws
