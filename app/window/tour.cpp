#include "app/window/tour.h"

namespace ws {

void update_tour(const Snapshot& snapshot, const Work& work, const ViewState& view, Edits& edits) {
    if (!view.measuring_from) return;
    constexpr int kSamples = 25;
    const bool measures = snapshot.device.can.measures_time && runs_anything(work);
    const bool hopeless = snapshot.failure.has_value();
    const bool done =
        snapshot.work.version == work.version && !snapshot.stale && snapshot.total_ms.samples >= kSamples;
    if (measures && !done && !hopeless) return;
    for (const Version& version : work.lab->versions) {
        if (!measures || version.number <= work.version || snapshot.unavailable.count(version.number) > 0)
            continue;
        edits.add(ChooseVersion{version.number});
        return;
    }
    edits.add(ChooseVersion{*view.measuring_from});
    edits.add(MeasureAll{});
}

}  // namespace ws
