// The engine's times: samples of the plan that runs, and the board of versions.

#include "gpu/engine/engine.h"
#include "gpu/pipeline/versions.h"

namespace ws {
namespace {

using namespace std::chrono_literals;

constexpr auto kWarmUp = 100ms;  // samples before are thrown away: clocks ramp up

}  // namespace

void Engine::start_samples() {
    windows_ = {};
    samples_since_ = Clock::now();
    snapshot_.check = {};
    publish_times();
}

void Engine::take_samples(const FrameTimes& times) {
    if (times.generation != plan_.generation) return;
    snapshot_.warming_up = Clock::now() - samples_since_ < kWarmUp;
    if (snapshot_.warming_up) return;
    for (const Stage stage : kStages) {
        const Sample& sample = times.stages[index_of(stage)];
        if (sample.launches == 0) continue;
        windows_.stages[index_of(stage)].add(sample.ms);
        snapshot_.stages[index_of(stage)].launches_per_sample = sample.launches;
    }
    if (times.total.launches > 0) windows_.total.add(times.total.ms);
    if (times.fused.launches > 0) windows_.fused.add(times.fused.ms);
    windows_.map.add(times.map_ms);
    windows_.unmap.add(times.unmap_ms);
    publish_times();
}

void Engine::publish_times() {
    for (StageSnapshot& shown : snapshot_.stages) {
        const SampleWindow& window = windows_.stages[index_of(shown.stage)];
        shown.time_ms = window.statistics();
        shown.history_ms = window.history();
    }
    snapshot_.total_ms = windows_.total.statistics();
    snapshot_.total_history_ms = windows_.total.history();
    snapshot_.fused_ms = windows_.fused.statistics();
    snapshot_.map_ms = windows_.map.statistics();
    snapshot_.unmap_ms = windows_.unmap.statistics();
    if (snapshot_.total_ms.samples == 0) {
        snapshot_.warming_up = !plan_.launches.empty();
        return;
    }
    if (snapshot_.device.kind != DeviceKind::cuda) return;

    const auto version = version_keys_.find(plan_version_);
    const bool own = version != version_keys_.end() && version->second == plan_key_;
    VersionTimes times;
    for (const StageSnapshot& shown : snapshot_.stages)
        times.stages[index_of(shown.stage)] = windows_.stages[index_of(shown.stage)].statistics();
    for (const LaunchKey& launch : plan_key_.launches) times.blocks[index_of(launch.stage)] = launch.block;
    times.total_ms = snapshot_.total_ms;
    if (own) snapshot_.version_times[plan_version_] = times;
    times_.put(plan_key_, times);
}

// The times of every version in its own blocks, as far as they were taken on this device, of this picture and
// view.
void Engine::publish_version_times() {
    version_keys_.clear();
    snapshot_.version_times.clear();
    if (snapshot_.device.kind != DeviceKind::cuda) return;
    for (const Version& version : versions()) {
        WorkKey key = work_key(with_version(settings_, version));
        if (const VersionTimes* times = times_.find(key)) snapshot_.version_times[version.number] = *times;
        version_keys_[version.number] = std::move(key);
    }
}

}  // namespace ws
