#include "app/views/curve_axis.h"

namespace ws {
namespace {

// Calls `take` with each knob of the kernels that run, until it returns true.
template <typename Take>
void for_knobs(const Snapshot& snapshot, const Take& take) {
    for (const StepSnapshot& step : snapshot.steps) {
        if (!step.runs) continue;
        for (const Knob& knob : step.source.knobs) {
            if (!is_block_side(knob) && take(step, knob)) return;
        }
    }
}

bool has_sizes(const Snapshot& snapshot) {
    return !snapshot.work.lab->sizes.swept.empty();
}

// Of a name that several kernels have, the first stands for it.
const Knob* knob_at(const Snapshot& snapshot, int place) {
    const Knob* found = nullptr;
    for_knobs(snapshot, [&](const StepSnapshot&, const Knob& knob) {
        if (shown_knob(snapshot, knob.name) == &knob && place-- == 0) found = &knob;
        return found != nullptr;
    });
    return found;
}

}  // namespace

const Knob* shown_knob(const Snapshot& snapshot, std::string_view name) {
    const Knob* found = nullptr;
    for_knobs(snapshot, [&](const StepSnapshot&, const Knob& knob) {
        if (knob.name == name) found = &knob;
        return found != nullptr;
    });
    return found;
}

std::optional<int> knob_value(const Snapshot& snapshot, std::string_view name) {
    std::optional<int> value;
    for_knobs(snapshot, [&](const StepSnapshot& step, const Knob& knob) {
        if (knob.name != name) return false;
        value = value_of(step, knob);
        return true;
    });
    return value;
}

int axis_count(const Snapshot& snapshot) {
    int count = has_sizes(snapshot) ? 1 : 0;
    for (int place = 0; knob_at(snapshot, place); ++place) ++count;
    return count;
}

SweepOver axis_at(const Snapshot& snapshot, int place) {
    const int sizes = has_sizes(snapshot) ? 1 : 0;
    if (place < sizes) return {SweepOver::Kind::size};
    return {SweepOver::Kind::knob, knob_at(snapshot, place - sizes)->name};
}

std::optional<SweepOver> curve_axis(const ViewState& view, const Snapshot& snapshot) {
    const std::optional<SweepOver>& chosen = view.story.over;
    if (chosen && (chosen->kind == SweepOver::Kind::knob || has_sizes(snapshot))) return chosen;
    if (axis_count(snapshot) == 0) return std::nullopt;
    return axis_at(snapshot, 0);
}

}  // namespace ws
