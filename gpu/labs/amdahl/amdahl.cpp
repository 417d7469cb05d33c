#include "gpu/labs/amdahl/amdahl.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "gpu/core/peak.h"
#include "gpu/labs/under_roof.h"

namespace ws::amdahl {

double speedup(double parallel, double processors) {
    return 1 / ((1 - parallel) + parallel / processors);
}

namespace {

// Places in the experiment's list.
enum ControlPlace : std::size_t { kParallel, kProcessors };

constexpr std::int64_t kMostProcessors = 1 << 16;

double share_of(const Task& task) {
    return double(task.values.at(kParallel)) / 100;
}

// On the processors that are set, and on all lanes of the GPU.
void add_table(const Task& task, Outcome& outcome) {
    const double parallel = share_of(task);
    ResultTable table{message("{} % of the time in parallel", task.values.at(kParallel)),
                      {{message("on"), ""},
                       {message("processors"), ""},
                       {message("speedup"), "x"},
                       {message("efficiency"), "%"}},
                      {}};
    const auto add = [&](Message name, std::int64_t processors) {
        const double gained = speedup(parallel, double(processors));
        table.rows.push_back({std::move(name), Message(std::to_string(processors)),
                              TableFigure{gained, Kind::calculated},
                              TableFigure{100 * gained / double(processors), Kind::calculated}});
    };
    add(message("as many as are set"), task.values.at(kProcessors));
    const GpuProfile& gpu = task.session.facts().devices.front().gpu;
    add(message("multiprocessors of {}", gpu.name), gpu.multiprocessors);
    add(message("lanes of {}", gpu.name),
        std::int64_t(gpu.multiprocessors) * fp32_lanes(gpu.limits.capability));
    outcome.tables.push_back(std::move(table));
}

PlotSeries curve_of(const Task& task, std::int64_t per_cent, int& done, int total) {
    PlotSeries series{message("{} %", per_cent), Kind::calculated, {}, false};
    for (std::int64_t processors = 1; processors <= kMostProcessors; processors *= 2) {
        if (task.stop.stop_requested()) break;
        task.progress(done++, total);
        series.points.push_back({double(processors), speedup(double(per_cent) / 100, double(processors)), 0});
    }
    return series;
}

// The share that is set beside three others, and what it cannot exceed.
void add_plot(const Task& task, Outcome& outcome) {
    constexpr int kPoints = 17;
    std::vector<std::int64_t> shares{task.values.at(kParallel), 50, 75, 90};
    std::vector<std::int64_t> shown;
    for (const std::int64_t share : shares) {
        if (std::find(shown.begin(), shown.end(), share) == shown.end()) shown.push_back(share);
    }
    ResultPlot plot{message("speedup by the share in parallel"),
                    {message("processors"), "", true},
                    {message("speedup"), "x", false},
                    {}};
    int done = 0;
    for (const std::int64_t share : shown)
        plot.series.push_back(curve_of(task, share, done, kPoints * int(shown.size())));
    if (task.stop.stop_requested()) return;
    task.progress(done, done);
    if (const double rest = 1 - share_of(task); rest > 0)
        plot.series.push_back({message("1 / (1 - P)"),
                               Kind::calculated,
                               {{1, 1 / rest, 0}, {double(kMostProcessors), 1 / rest, 0}},
                               true});
    outcome.plots.push_back(std::move(plot));
}

Outcome run(const Task& task) {
    Outcome outcome;
    outcome.gpu = task.session.facts().devices.front().gpu.name;
    outcome.kind = Kind::calculated;
    const double parallel = share_of(task);
    const double processors = double(task.values.at(kProcessors));
    add_table(task, outcome);
    if (task.axis == int(kProcessors)) add_plot(task, outcome);
    outcome.headline = message("{} times as fast", three_digits(speedup(parallel, processors)));
    outcome.sentences = {message("1 / ((1 - {0}) + {0} / {1}) = {2}.", fmt::format("{:.2f}", parallel),
                                 task.values.at(kProcessors), three_digits(speedup(parallel, processors))),
                         parallel < 1
                             ? message("More processors reach {} at most.", three_digits(1 / (1 - parallel)))
                             : message("Nothing is left that does not run in parallel.")};
    outcome.notes = {
        message("S = 1 / ((1 - P) + P / N): P is the share of the time that runs in parallel, N the "
                "processors")};
    outcome.complete = !task.stop.stop_requested();
    return outcome;
}

Experiment make() {
    Experiment made;
    made.id = "amdahl";
    made.title = "Amdahl's law";
    made.question = "What does the part leave that does not run in parallel?";
    made.controls = {{"parallel", "parallel, % of the time", NumberControl{0, 100}, 95},
                     {"processors", "processors", NumberControl{1, kMostProcessors, true}, 128, true}};
    made.run = run;
    return made;
}

}  // namespace

const Experiment& experiment() {
    static const Experiment kExperiment = make();
    return kExperiment;
}

}  // namespace ws::amdahl
