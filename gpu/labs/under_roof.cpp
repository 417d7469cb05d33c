#include "gpu/labs/under_roof.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "gpu/core/error.h"

namespace ws {

Work own_work(const Lab& lab, int version) {
    return with_version(first_work(lab), version_of(lab, version));
}

std::vector<WorkFigures> figures_of(const Task& task, const std::vector<Work>& works) {
    if (!task.versions) throw Error("there is nothing that runs the versions of labs");
    const int total = int(works.size());
    std::vector<WorkFigures> found;
    for (const Work& work : works) {
        if (task.stop.stop_requested()) return found;
        task.progress(int(found.size()), total);
        found.push_back(task.versions->figures(work));
    }
    task.progress(total, total);
    return found;
}

FoundTime found_time(const WorkFigures& figures) {
    FoundTime made{{}, figures.problem};
    for (const StepResult& step : figures.steps) {
        if (step.estimate && step.estimate->ms <= 0 && !figures.measured)
            made.problem = Message(step.estimate->reason);
    }
    if (!made.problem.empty()) return made;
    if (const std::optional<TimeFigure> time = time_of(figures); time && time->ms > 0)
        made.time = *time;
    else
        made.problem = message("it has no time");
    return made;
}

TableCell share_cell(TableFigure part, double whole) {
    if (whole <= 0) return Message("–");
    part.value *= 100 / whole;
    part.spread *= 100 / whole;
    return part;
}

void add_table(ResultTable table, Outcome& outcome) {
    if (!table.rows.empty()) outcome.tables.push_back(std::move(table));
}

void add_roof(const Roof& roof, Message slope, Message peak, ResultPlot& plot) {
    double low = roof.ridge();
    double high = roof.ridge();
    for (const PlotSeries& series : plot.series) {
        for (const PlotPoint& point : series.points) {
            low = std::min(low, point.x);
            high = std::max(high, point.x);
        }
    }
    // To the powers of two beyond, where a logarithmic axis has its ends.
    low = std::exp2(std::ceil(std::log2(low)) - 1);
    high = std::exp2(std::floor(std::log2(high)) + 1);
    const PlotPoint ridge{roof.ridge(), roof.peak, 0};
    plot.series.push_back({std::move(slope), Kind::calculated, {{low, roof.at(low), 0}, ridge}, true});
    plot.series.push_back({std::move(peak), Kind::calculated, {ridge, {high, roof.peak, 0}}, true});
}

std::string three_digits(double value) {
    return fmt::format("{:.{}f}", value, value < 9.95 ? 2 : value < 99.5 ? 1 : 0);
}

}  // namespace ws
