// The engine's times: samples of the plan that runs, and the board of versions.

#include <fmt/format.h>

#include "gpu/engine/engine.h"

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

    // The board of versions holds for one device, picture and view.
    const std::string condition =
        fmt::format("{}/{}/{}x{}/{}/{}", snapshot_.device.name, snapshot_.picture_name,
                    snapshot_.picture.width, snapshot_.picture.height, name_of(plan_.view), plan_.blur_first);
    if (condition != times_condition_) snapshot_.version_times.clear();
    times_condition_ = condition;
    if (snapshot_.stale) return;
    VersionTimes& times = snapshot_.version_times[settings_.version];
    for (const StageSnapshot& shown : snapshot_.stages) {
        times.stages[index_of(shown.stage)] = shown.time_ms;
        times.blocks[index_of(shown.stage)] = shown.block;
    }
    times.total_ms = snapshot_.total_ms;
}

}  // namespace ws
