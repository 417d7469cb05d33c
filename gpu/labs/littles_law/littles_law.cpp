#include "gpu/labs/littles_law/littles_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/counters.h"
#include "gpu/core/peak.h"
#include "gpu/core/throughput.h"
#include "gpu/labs/latency/latency.h"
#include "gpu/labs/lectures.h"
#include "gpu/labs/under_roof.h"

namespace ws::littles_law {
namespace {

// Places in the experiment's list.
enum ControlPlace : std::size_t { kWhat, kWarps, kEach };
enum What : std::int64_t { kWords, kWideWords, kChains };

constexpr int kMostEach = 8;  // words or chains of a thread

// Far more words than a cache of the second level holds: nothing is left there from run to run.
constexpr Extent kCopied{4096, 4096};

// The lab's versions: with one word or chain a thread in blocks of a warp, of which shared memory leaves room
// for a few; the same with all warps; and with several a thread.
struct Versions {
    int one = 0;
    int all_warps = 0;
    std::vector<int> several;
    int looked_at = 0;  // of these
};
Versions versions_of(const Task& task) {
    switch (task.values.at(kWhat)) {
        case kChains:
            return {7, 8, {9}, 9};
        case kWideWords:
            return {2, 1, {4, 5}, 5};
        default:
            return {2, 1, {4, 5}, 4};
    }
}
bool of_memory(const Task& task) {
    return task.values.at(kWhat) != kChains;
}
const GpuProfile& gpu_of(const Task& task) {
    return task.session.facts().devices.front().gpu;
}

// ---- what runs

// KiB of shared memory for a block of one warp, so that no more than so many fit where they can be that few.
int shared_kib(const GpuLimits& limits, std::int64_t warps) {
    constexpr int kKib = 1024;
    constexpr int kMostOfKernels = 48;
    const auto room = int(limits.shared_bytes_per_multiprocessor / warps) - limits.shared_bytes_reserved;
    return std::clamp(room / kKib, 0, std::min(kMostOfKernels, limits.shared_bytes_per_block / kKib));
}

std::vector<Work> works_of(const Task& task) {
    const Versions versions = versions_of(task);
    const GpuLimits& limits = gpu_of(task).limits;
    std::vector<Work> works;
    const auto add = [&](int version, KnobValues knobs) {
        Work& work = works.emplace_back(own_work(latency::lab(), version));
        work.knobs = std::move(knobs);
        if (of_memory(task)) work.size = kCopied;
    };
    int last = -1;
    for (const std::int64_t warps : {1, 2, 4, 8, 16, 32}) {
        if (warps > limits.blocks_per_multiprocessor) break;
        const int kib = shared_kib(limits, warps);
        if (kib != std::exchange(last, kib)) add(versions.one, {{"SHARED_KIB", kib}});
    }
    add(versions.all_warps, {});
    const int kib = shared_kib(limits, task.values.at(kWarps));
    for (const int version : versions.several) {
        for (int each = 1; each <= kMostEach; ++each) add(version, {{"SHARED_KIB", kib}, {"ILP", each}});
    }
    return works;
}

// A work as it was found out. In flight are bytes or multiply-adds, on a multiprocessor; reached are GB/s or
// multiply-adds for each of its clocks.
struct Row {
    int version = 0;
    int each = 1;  // words or chains of a thread
    int warps = 0;
    double in_flight = 0;
    double reached = 0;
    TimeFigure time;
    Message problem;  // why it has no place

    [[nodiscard]] bool placed() const { return problem.empty(); }
    [[nodiscard]] std::string name() const { return "V" + std::to_string(version); }
};

// Of all resident warps: what the machine code has under way, in bytes.
double bytes_in_flight(const StepResult& step) {
    const TrafficCounts& loads = step.counters->total.global_load;
    if (loads.requests == 0) return 0;
    const double of_load = std::round(double(loads.bytes_requested) / double(loads.requests));
    return step.occupancy->active_warps * step.code.loads_in_flight * of_load;
}

Row row_of(const Task& task, const Work& work, const WorkFigures& figures) {
    constexpr int kLanes = 32;
    const FoundTime found = found_time(figures);
    Row row{.version = work.version, .time = found.time, .problem = found.problem};
    if (const auto each = work.knobs.find("ILP"); each != work.knobs.end()) row.each = each->second;
    if (!row.placed()) return row;
    if (figures.steps.size() != 1 || !figures.steps.front().occupancy) {
        row.problem = message("its occupancy is not known");
        return row;
    }
    const StepResult& step = figures.steps.front();
    row.warps = step.occupancy->active_warps;
    if (of_memory(task)) {
        row.in_flight = bytes_in_flight(step);
        row.reached = figures.least_bytes / row.time.ms / 1e6;
    } else {
        row.in_flight = double(row.warps) * kLanes * row.each;
        const double done = double(step.counters->total.float_operations) / kOperationsPerLane;
        row.reached = operations_per_clock(done, row.time.ms, gpu_of(task));
    }
    if (row.in_flight <= 0)
        row.problem = message("what its machine code has in flight is not known");
    else if (row.reached <= 0)
        row.problem = message("it does nothing that the law counts");
    return row;
}

// The one that is set; where it has no place, the one that reaches most.
const Row* looked_at(const Task& task, const std::vector<Row>& rows) {
    const Row* found = nullptr;
    for (const Row& row : rows) {
        if (!row.placed()) continue;
        if (row.version == versions_of(task).looked_at && row.each == task.values.at(kEach)) return &row;
        if (!found || row.reached > found->reached) found = &row;
    }
    return found;
}

// ---- the law

double latency_of(const Task& task) {
    const Throughput rate = throughput_of(gpu_of(task).limits.capability);
    return of_memory(task) ? rate.memory_latency : rate.result_latency;
}

// What is in flight comes back once in a latency; no more than the memory's bandwidth, or the lanes.
Roof law_of(const Task& task) {
    constexpr double kGigaPerMega = 1e-3;
    const GpuProfile& gpu = gpu_of(task);
    if (!of_memory(task)) return {1 / latency_of(task), double(fp32_lanes(gpu.limits.capability))};
    return {gpu.multiprocessors * gpu.clock_mhz * kGigaPerMega / latency_of(task), peak_bandwidth_gb_s(gpu)};
}

// ---- what is shown

constexpr double kKib = 1024;

void add_rows(const Task& task, const std::vector<Row>& rows, Outcome& outcome) {
    const bool memory = of_memory(task);
    const Roof law = law_of(task);
    ResultTable table{message("in flight, and what it reaches"),
                      {{message("version"), ""},
                       {message("ILP"), ""},
                       {message("warps"), ""},
                       {message("time"), "µs"},
                       {memory ? message("effective") : message("per clock"), memory ? "GB/s" : "FMA"},
                       {message("in flight"), memory ? "KiB" : "FMA"},
                       {message("of the law"), "%"}},
                      {}};
    ResultTable missing{message("without a place"), {{message("version"), ""}, {message("because"), ""}}, {}};
    for (const Row& row : rows) {
        if (!row.placed()) {
            missing.rows.push_back({Message(row.name()), row.problem});
            continue;
        }
        const TableFigure reached{row.reached, row.time.kind};
        table.rows.push_back({Message(row.name()), Message(std::to_string(row.each)),
                              Message(std::to_string(row.warps)),
                              TableFigure{row.time.ms * 1e3, row.time.kind, row.time.spread_ms * 1e3},
                              reached, TableFigure{row.in_flight / (memory ? kKib : 1), Kind::calculated},
                              share_cell(reached, law.at(row.in_flight))});
    }
    add_table(std::move(table), outcome);
    add_table(std::move(missing), outcome);
}

// Which points belong together: those of one word or chain, then those of each version with several.
Message series_of(const Task& task, int version) {
    const Versions versions = versions_of(task);
    if (version == 4) return message("1 to 8 words of 4 bytes");
    if (version == 5) return message("1 to 8 words of 16 bytes");
    if (version == versions.several.front()) return message("1 to 8 chains");
    return of_memory(task) ? message("1 word, more warps") : message("1 chain, more warps");
}

PlotPoint point_of(const Row& row, std::string name) {
    return {row.in_flight, row.reached, 0, std::move(name)};
}

void add_plot(const Task& task, const std::vector<Row>& rows, const Row& looked, Outcome& outcome) {
    const Roof law = law_of(task);
    if (!law.known()) return;
    const bool memory = of_memory(task);
    ResultPlot plot{message("Little's law"), {}, {}, {}};
    plot.x = memory ? PlotAxis{message("bytes in flight on a multiprocessor"), "bytes", true}
                    : PlotAxis{message("multiply-adds in flight on a multiprocessor"), "", true};
    plot.y = memory ? PlotAxis{message("effective bandwidth"), "GB/s", true}
                    : PlotAxis{message("multiply-adds per clock"), "FMA", true};
    plot.series.push_back({message("{}, ILP {}", looked.name(), looked.each),
                           looked.time.kind,
                           {point_of(looked, looked.name())},
                           false,
                           true,
                           true});
    for (const Row& row : rows) {
        if (!row.placed() || &row == &looked) continue;
        const Message name = series_of(task, row.version);
        if (plot.series.size() == 1 || !(plot.series.back().name == name))
            plot.series.push_back({name, row.time.kind, {}, false, true});
        // A version is named beside its last point.
        std::vector<PlotPoint>& points = plot.series.back().points;
        if (!points.empty() && points.back().name == row.name()) points.back().name.clear();
        points.push_back(point_of(row, row.name()));
    }
    for (PlotSeries& series : plot.series) {
        std::stable_sort(series.points.begin(), series.points.end(),
                         [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
    }
    add_roof(law, message("Little's law, {} clocks", fmt::format("{:.0f}", latency_of(task))),
             memory ? message("theoretical bandwidth") : message("FP32 lanes"), plot);
    outcome.plots.push_back(std::move(plot));
}

std::string amount(const Task& task, double in_flight) {
    return of_memory(task) ? three_digits(in_flight / kKib) + " KiB" : fmt::format("{:.0f}", in_flight);
}

void summarise(const Task& task, const Row* looked, Outcome& outcome) {
    const Roof law = law_of(task);
    if (!looked || !law.known()) {
        outcome.headline = message("nothing has a place under the law");
        return;
    }
    const double allowed = law.at(looked->in_flight);
    outcome.headline = message("{}: {} % of what the law allows", looked->name(),
                               fmt::format("{:.0f}", 100 * looked->reached / allowed));
    const std::string held = amount(task, looked->in_flight);
    const std::string reached = three_digits(looked->reached);
    const std::string clocks = fmt::format("{:.0f}", latency_of(task));
    const std::string peak = fmt::format("{:.0f}", law.peak);
    if (of_memory(task)) {
        outcome.sentences = {
            message("{} in flight: {} GB/s; the law allows {}.", held, reached, three_digits(allowed)),
            message("Full bandwidth needs {}: {} clocks at {} GB/s.", amount(task, law.ridge()), clocks,
                    peak)};
    } else {
        outcome.sentences = {
            message("{} multiply-adds in flight: {} per clock; the law allows {}.", held, reached,
                    three_digits(allowed)),
            message("All lanes need {}: {} clocks x {} lanes.", amount(task, law.ridge()), clocks, peak)};
    }
}

void add_notes(const Task& task, std::vector<Message>& notes) {
    if (of_memory(task)) {
        notes.push_back(
            message("in flight on a multiprocessor: resident warps x loads that the machine code has under "
                    "way x their bytes; a "
                    "warp's words are under way as loads, then as stores, and both count as bandwidth"));
        notes.push_back(message(
            "the line is the latency of an idle memory: under load it grows, and points fall behind"));
    } else {
        notes.push_back(
            message("in flight on a multiprocessor: resident warps x 32 x chains of a thread, each with one "
                    "multiply-add under "
                    "way; the line is the latency of one"));
    }
    notes.push_back(
        message("V{0} to V{1} of the lab latency; blocks are one warp and take shared memory, so "
                "that only the warps that are set fit; V{2} has all",
                of_memory(task) ? 1 : 7, of_memory(task) ? 5 : 9, versions_of(task).all_warps));
    if (task.session.facts().kind == Kind::estimated)
        notes.push_back(message("estimated times come from latencies, too: only measured ones test the law"));
}

Outcome run(const Task& task) {
    Outcome outcome;
    outcome.gpu = gpu_of(task).name;
    outcome.kind = task.session.facts().kind;
    const std::vector<Work> works = works_of(task);
    std::vector<Row> rows;
    for (const WorkFigures& figures : figures_of(task, works))
        rows.push_back(row_of(task, works[rows.size()], figures));
    const Row* looked = looked_at(task, rows);
    if (looked) add_plot(task, rows, *looked, outcome);
    add_rows(task, rows, outcome);
    summarise(task, looked, outcome);
    add_notes(task, outcome.notes);
    outcome.complete = !task.stop.stop_requested();
    return outcome;
}

Experiment make() {
    Experiment made;
    made.id = "littles-law";
    made.title = "Little's law";
    made.question = "How much must be in flight on a multiprocessor, so that memory and lanes are busy?";
    made.controls = {{"what", "in flight",
                      ChoiceControl{{{"words", "words of 4 bytes"},
                                     {"wide", "words of 16 bytes"},
                                     {"chains", "chains of multiply-adds"}}},
                      kWords},
                     {"warps", "resident warps", NumberControl{1, 64, true}, 4},
                     {"ilp", "words or chains of a thread", NumberControl{1, kMostEach}, 4}};
    made.figures = {{"arithmetic's latency is hidden, 1.x", 192, "threads", kHardwarePerformance},
                    {"arithmetic's latency is hidden, 2.x", 768, "threads", kHardwarePerformance}};
    made.run = run;
    return made;
}

}  // namespace

const Experiment& experiment() {
    static const Experiment kExperiment = make();
    return kExperiment;
}

}  // namespace ws::littles_law
