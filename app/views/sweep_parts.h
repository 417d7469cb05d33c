#pragma once
// The two halves of a sweep: the map of all block shapes, and the curves along one width.

#include <string_view>

#include "app/canvas/controls.h"
#include "app/views/views.h"
#include "gpu/core/sweep_result.h"

namespace ws {

// Milliseconds or microseconds for all values of a map or curve.
struct TimeScale {
    double factor = 1;
    std::string_view unit;
};
[[nodiscard]] TimeScale scale_of(double least_ms);
// At most five characters: "223", "1.6k", "0.04".
[[nodiscard]] std::string_view cell_text(double value);

// What is run, the name of its button, and the keys of how far it is, with and without the time that is left.
struct RunWords {
    const char* id;
    std::string_view left, progress;
};
// The button that runs, stops or resumes a sweep, and behind it how far it is. No result: none was run.
void draw_run(const Stage& stage, ButtonRow& row, const SweepResult* result, const RunWords& words);

void draw_heat_map(const Stage& stage, Box card, const SweepResult* result);
void draw_sweep_curves(const Stage& stage, Box card, const SweepPage& page);

}  // namespace ws
