#include "gpu/engine/time_book.h"

namespace ws {
namespace {

using namespace std::chrono_literals;

constexpr auto kWarmUp = 100ms;  // samples before are thrown away: clocks ramp up

}  // namespace

void TimeBook::start() {
    windows_ = {};
    since_ = Clock::now();
}

bool TimeBook::take(const FrameTimes& times) {
    if (Clock::now() - since_ < kWarmUp) return false;
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

void TimeBook::publish(Snapshot& snapshot, const WorkKey& key, int version, bool runs) {
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
    if (snapshot.total_ms.samples == 0) {
        snapshot.warming_up = runs;
        return;
    }
    if (!snapshot.device.can.measures_time) return;
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
