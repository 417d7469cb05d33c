#pragma once
// What experiments share that run versions of labs and show what each reaches under a roof.

#include <algorithm>
#include <string>
#include <vector>

#include "gpu/core/experiment.h"

namespace ws {

// What a slope and a peak allow: roofline's bandwidth and FLOPS, or a law's line and what is behind it.
struct Roof {
    double slope = 0;  // for each unit of x
    double peak = 0;
    [[nodiscard]] double at(double x) const { return std::min(x * slope, peak); }
    [[nodiscard]] double ridge() const { return peak / slope; }
    [[nodiscard]] bool known() const { return slope > 0 && peak > 0; }
};

// A version in its own blocks and knobs, with the lab's first view and size.
[[nodiscard]] Work own_work(const Lab& lab, int version);
// Of the works, one after the other; fewer where the task is stopped. Throws Error where the task has nothing
// that runs them.
[[nodiscard]] std::vector<WorkFigures> figures_of(const Task& task, const std::vector<Work>& works);

// A time, or why there is none.
struct FoundTime {
    TimeFigure time;
    Message problem;
    [[nodiscard]] bool found() const { return problem.empty(); }
};
[[nodiscard]] FoundTime found_time(const WorkFigures& figures);

// As a share of the whole, per cent; a dash where that is not known.
[[nodiscard]] TableCell share_cell(TableFigure part, double whole);
// Without rows a table says nothing.
void add_table(ResultTable table, Outcome& outcome);
// Slope and peak, over all places that points have and the ridge between them.
void add_roof(const Roof& roof, Message slope, Message peak, ResultPlot& plot);

// Three digits: "4.66", "46.6", "466".
[[nodiscard]] std::string three_digits(double value);

}  // namespace ws
