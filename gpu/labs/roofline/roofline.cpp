#include "gpu/labs/roofline/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/counters.h"
#include "gpu/core/peak.h"
#include "gpu/labs/labs.h"
#include "gpu/labs/lectures.h"
#include "gpu/labs/under_roof.h"

namespace ws::roofline {
namespace {

// Places in the experiment's list.
enum ControlPlace : std::size_t { kLab, kVersion };
constexpr std::int64_t kAllLabs = 0;  // then the labs, in their order
// All of them take a minute without a GPU, one a few seconds.
constexpr std::int64_t kFirstLab = 1;

// A version as it was found out.
struct Row {
    const Lab* lab = nullptr;
    int version = 0;
    TimeFigure time;
    double least_bytes = 0;  // that it must read and write
    double moved_bytes = 0;  // that device memory transfers
    double operations = 0;   // floating-point ones
    Message problem;         // why there is no time

    // 10^9 a second: bytes and operations a ms are a million times too few.
    [[nodiscard]] double gb_s() const { return least_bytes / time.ms / 1e6; }
    [[nodiscard]] double gflop_s() const { return operations / time.ms / 1e6; }
    [[nodiscard]] double intensity() const { return operations / moved_bytes; }
    [[nodiscard]] bool timed() const { return problem.empty(); }
    // It has a place under the roof.
    [[nodiscard]] bool computes() const { return timed() && operations > 0 && moved_bytes > 0; }
    [[nodiscard]] std::string name() const { return "V" + std::to_string(version); }
};

// In GFLOP/s, over operations for each byte.
Roof roof_of(const Task& task) {
    const GpuProfile& gpu = task.session.facts().devices.front().gpu;
    return {peak_bandwidth_gb_s(gpu), peak_gflop_s(gpu)};
}

const Lab* chosen_lab(const Task& task) {
    const std::int64_t place = task.values.at(kLab);
    return place == kAllLabs ? nullptr : labs()[std::size_t(place - 1)];
}

Row row_of(const WorkFigures& figures, const Work& work) {
    const FoundTime found = found_time(figures);
    Row row{work.lab, work.version, found.time, figures.least_bytes, 0, 0, found.problem};
    for (const StepResult& step : figures.steps) {
        row.operations += double(step.counters->total.float_operations);
        if (step.estimate) row.moved_bytes += step.estimate->moved_bytes;
    }
    return row;
}

// Of the lab that is chosen, or of all, one after the other.
std::vector<Row> find_rows(const Task& task) {
    std::vector<const Lab*> wanted(labs().begin(), labs().end());
    if (const Lab* lab = chosen_lab(task)) wanted = {lab};
    std::vector<Work> works;
    for (const Lab* lab : wanted) {
        for (const Version& version : lab->versions) works.push_back(own_work(*lab, version.number));
    }
    std::vector<Row> rows;
    for (const WorkFigures& figures : figures_of(task, works))
        rows.push_back(row_of(figures, works[rows.size()]));
    return rows;
}

// The version that is looked at: the chosen one where it is among them, else the one with most FLOPS.
const Row* looked_at(const Task& task, const std::vector<Row>& rows) {
    const Row* found = nullptr;
    for (const Row& row : rows) {
        if (!row.computes()) continue;
        if (chosen_lab(task) && row.version == task.values.at(kVersion)) return &row;
        if (!found || row.gflop_s() > found->gflop_s()) found = &row;
    }
    return found;
}

// ---- tables

TableFigure figure(const Row& row, double value) {
    return {value, row.time.kind};
}
std::string name_in_table(const Task& task, const Row& row) {
    return chosen_lab(task) ? row.name() : std::string(row.lab->id) + " " + row.name();
}

void add_computing(const Task& task, const std::vector<Row>& rows, Outcome& outcome) {
    const Roof roof = roof_of(task);
    ResultTable table{message("effective FLOPS"),
                      {{message("version"), ""},
                       {message("time"), "µs"},
                       {message("effective"), "GB/s"},
                       {message("effective"), "GFLOP/s"},
                       {message("intensity"), "FLOP/B"},
                       {message("of the roof"), "%"}},
                      {}};
    for (const Row& row : rows) {
        if (!row.computes()) continue;
        table.rows.push_back({Message(name_in_table(task, row)), figure(row, row.time.ms * 1e3),
                              figure(row, row.gb_s()), figure(row, row.gflop_s()),
                              TableFigure{row.intensity(), Kind::estimated},
                              share_cell(figure(row, row.gflop_s()), roof.at(row.intensity()))});
    }
    add_table(std::move(table), outcome);
}

void add_moving(const Task& task, const std::vector<Row>& rows, Outcome& outcome) {
    const Roof roof = roof_of(task);
    ResultTable table{message("without FLOP"),
                      {{message("version"), ""},
                       {message("time"), "µs"},
                       {message("effective"), "GB/s"},
                       {message("of theoretical"), "%"}},
                      {}};
    for (const Row& row : rows) {
        if (!row.timed() || row.computes()) continue;
        table.rows.push_back({Message(name_in_table(task, row)), figure(row, row.time.ms * 1e3),
                              figure(row, row.gb_s()), share_cell(figure(row, row.gb_s()), roof.slope)});
    }
    add_table(std::move(table), outcome);
}

void add_missing(const Task& task, const std::vector<Row>& rows, Outcome& outcome) {
    ResultTable table{message("without a time"), {{message("version"), ""}, {message("because"), ""}}, {}};
    for (const Row& row : rows) {
        if (!row.timed()) table.rows.push_back({Message(name_in_table(task, row)), row.problem});
    }
    add_table(std::move(table), outcome);
}

// ---- the plot

constexpr double kTera = 1e-3;  // of 10^9

PlotPoint point_of(const Row& row, std::string name) {
    return {row.intensity(), row.gflop_s() * kTera, 0, std::move(name)};
}

// A lab's points; names stand beside all of one lab, else beside its fastest.
void add_lab(const Task& task, const Lab& lab, const std::vector<Row>& rows, const Row& looked,
             ResultPlot& plot) {
    PlotSeries series{Message(std::string(lab.id)), looked.time.kind, {}, false, true};
    const Row* fastest = nullptr;
    for (const Row& row : rows) {
        if (row.lab == &lab && row.computes() && (!fastest || row.gflop_s() > fastest->gflop_s()))
            fastest = &row;
    }
    for (const Row& row : rows) {
        if (row.lab != &lab || !row.computes() || &row == &looked) continue;
        series.points.push_back(point_of(row, chosen_lab(task) || &row == fastest ? row.name() : ""));
    }
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
    if (!series.points.empty()) plot.series.push_back(std::move(series));
}

void add_plot(const Task& task, const std::vector<Row>& rows, const Row& looked, Outcome& outcome) {
    const Roof roof = roof_of(task);
    if (!roof.known()) return;
    ResultPlot plot{message("roofline"),
                    {message("arithmetic intensity"), "FLOP/byte", true},
                    {message("effective FLOPS"), "TFLOP/s", true},
                    {}};
    plot.series.push_back({Message(std::string(looked.lab->id) + " " + looked.name()),
                           looked.time.kind,
                           {point_of(looked, looked.name())},
                           false,
                           true,
                           true});
    for (const Lab* lab : labs()) add_lab(task, *lab, rows, looked, plot);
    add_roof({roof.slope * kTera, roof.peak * kTera},
             message("{} GB/s x FLOP/byte", fmt::format("{:.0f}", roof.slope)), message("FP32 peak"), plot);
    outcome.plots.push_back(std::move(plot));
}

// ---- in words

void summarise(const Task& task, const std::vector<Row>& rows, const Row* looked, Outcome& outcome) {
    const auto timed = std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.timed(); });
    const auto integer =
        timed - std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.computes(); });
    const Roof roof = roof_of(task);
    if (looked && roof.known()) {
        const double share = 100 * looked->gflop_s() / roof.at(looked->intensity());
        outcome.headline =
            message("{} {}: {} % of its roof", looked->lab->id, looked->name(), fmt::format("{:.0f}", share));
        const std::string intensity = three_digits(looked->intensity());
        outcome.sentences.push_back(looked->intensity() < roof.ridge()
                                        ? message("{} FLOP per byte: its roof is the bandwidth.", intensity)
                                        : message("{} FLOP per byte: its roof is the FP32 peak.", intensity));
    } else if (timed > 0 && !looked) {
        outcome.headline = message("no floating-point operations");
    } else {
        outcome.headline = message("{} of {} versions have a time", timed, std::int64_t(rows.size()));
    }
    if (integer > 0)
        outcome.sentences.push_back(
            message("{} of {} versions do no floating-point operations.", integer, timed));
}

void add_notes(Kind kind, std::vector<Message>& notes) {
    notes.push_back(message(
        "FLOP: floating-point operations that the simulated GPU counts of a sample of blocks, a "
        "multiply-add two, float, double and half alike; operations on integers are none, and what does "
        "none has no place under the roof"));
    notes.push_back(
        message("bytes of the intensity: those that device memory transfers by the model of the "
                "caches; GB/s: bytes that must be read and written, over the time"));
    notes.push_back(
        message("versions run in their own blocks and knobs, at the size that the lab begins with"));
    notes.push_back(kind == Kind::estimated
                        ? message("times are estimated from what is counted")
                        : message("what stays in the L2 cache from run to run can lie above its roof"));
}

Outcome run(const Task& task) {
    Outcome outcome;
    outcome.gpu = task.session.facts().devices.front().gpu.name;
    outcome.kind = task.session.facts().kind;
    const std::vector<Row> rows = find_rows(task);
    const Row* looked = looked_at(task, rows);
    if (looked) add_plot(task, rows, *looked, outcome);
    add_computing(task, rows, outcome);
    add_moving(task, rows, outcome);
    add_missing(task, rows, outcome);
    summarise(task, rows, looked, outcome);
    add_notes(outcome.kind, outcome.notes);
    outcome.complete = !task.stop.stop_requested();
    return outcome;
}

Control lab_control() {
    ChoiceControl choice{{{"all", "all labs"}}};
    for (const Lab* lab : labs()) choice.options.push_back({lab->id, lab->title});
    return {"lab", "lab", std::move(choice), kFirstLab};
}

Control version_control() {
    std::int64_t most = 0;
    for (const Lab* lab : labs()) {
        for (const Version& version : lab->versions) most = std::max(most, std::int64_t(version.number));
    }
    return {"version", "its version", NumberControl{0, most}, 0};
}

Experiment make() {
    Experiment made;
    made.id = "roofline";
    made.title = "roofline";
    made.question = "What limits each kernel, bandwidth or arithmetic, and how near is it to that?";
    made.controls = {lab_control(), version_control()};
    made.figures = {kGoodBandwidth.begin(), kGoodBandwidth.end()};
    made.run = run;
    return made;
}

}  // namespace

const Experiment& experiment() {
    static const Experiment kExperiment = make();
    return kExperiment;
}

}  // namespace ws::roofline
