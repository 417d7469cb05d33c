#include "app/window/tour.h"

namespace ws {

void update_tour(const Snapshot& snapshot, const Work& work, const ViewState& view, Edits& edits) {
    if (!view.measuring_from) return;
    constexpr int kSamples = 25;
    const bool hopeless = snapshot.failure || !snapshot.device.can.measures_time || !runs_anything(work);
    const bool done =
        snapshot.work.version == work.version && !snapshot.stale && snapshot.total_ms.samples >= kSamples;
    if (!done && !hopeless) return;
    for (const Version& version : work.lab->versions) {
        if (version.number <= work.version) continue;
        edits.add(ChooseVersion{version.number});
        return;
    }
    edits.add(ChooseVersion{*view.measuring_from});
    edits.add(MeasureAll{});
}

}  // namespace ws
