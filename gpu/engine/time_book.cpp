#include "gpu/engine/time_book.h"

#include <fmt/format.h>

namespace ws {

void TimeBook::publish(Snapshot& snapshot, const WorkKey& key, bool runs, double floor_ms) {
    for (StepSnapshot& shown : snapshot.steps) {
        const SampleWindow& window = samples_.step(shown.step);
        shown.times.ms = window.statistics();
        shown.times.history_ms = window.history();
        shown.times.launches_per_sample = samples_.launches(shown.step);
    }
    snapshot.times.total_ms = samples_.total().statistics();
    snapshot.times.total_history_ms = samples_.total().history();
    snapshot.times.one_pass_ms = samples_.one_pass().statistics();
    snapshot.times.map_ms = samples_.map().statistics();
    snapshot.times.unmap_ms = samples_.unmap().statistics();
    snapshot.times.clock = samples_.clock();
    snapshot.times.refused.clear();
    if (samples_.refused() > 0)
        snapshot.times.refused =
            fmt::format("{} samples are refused: {}", samples_.refused(), samples_.why_refused());
    if (snapshot.times.total_ms.samples == 0) {
        snapshot.run.warming_up = runs;
        return;
    }
    if (!snapshot.device.can.measures_time) return;
    if (snapshot.times.total_ms.median < floor_ms) {
        snapshot.times.refused =
            fmt::format("a time of {:.4f} ms is not believed: what must be moved takes {:.4f} ms",
                        snapshot.times.total_ms.median, floor_ms);
        snapshot.times.total_ms = {};
        return;
    }
    board_.put(key, snapshot.times.total_ms);
}

std::optional<Statistics> TimeBook::total_of(const WorkKey& key) const {
    const Statistics* total = board_.find(key);
    return total ? std::optional(*total) : std::nullopt;
}

}  // namespace ws
