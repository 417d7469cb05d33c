#include "gpu/labs/streams/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "gpu/core/error.h"
#include "gpu/core/statistics.h"
#include "gpu/labs/lectures.h"
#include "gpu/labs/streams/pipeline.h"
#include "gpu/labs/streams/schedule.h"
#include "gpu/labs/task_steps.h"
#include "gpu/labs/under_roof.h"

namespace ws::streams {
namespace {

// Places in the experiment's list.
enum ControlPlace : std::size_t { kPieces, kStreams, kOrder, kSize, kWork, kMode };
enum class Mode : std::int64_t { plain, concurrent, graph, fermi };

constexpr int kSamples = 9;

Control pieces_control() {
    return {"pieces", "pieces", NumberControl{1, 64, true}, 8, true};
}

Mode mode_of(const Task& task) {
    return Mode(task.values.at(kMode));
}
const SessionDevice& device_of(const Task& task) {
    return task.session.facts().devices.front();
}
int samples_of(const Task& task) {
    return task.session.facts().kind == Kind::measured ? kSamples : 1;
}

Plan plan_of(const Task& task, Overlap overlap, Order order) {
    return {overlap, order, int(task.values.at(kPieces)), int(task.values.at(kStreams)),
            std::size_t(task.values.at(kSize)) / kWordBytes};
}
Workload workload_of(const Task& task, HostMemory memory) {
    return {std::size_t(task.values.at(kSize)) / kWordBytes, int(task.values.at(kStreams)), memory,
            grid_of(device_of(task).gpu, mode_of(task) == Mode::concurrent), mode_of(task) == Mode::fermi};
}
// Small kernels run beside each other as far as there are multiprocessors for their blocks.
Engines engines_of(const Task& task) {
    const SessionDevice& device = device_of(task);
    Engines engines{std::min(2, device.copy_engines), 1};
    if (mode_of(task) != Mode::concurrent) return engines;
    const unsigned blocks = grid_of(device.gpu, true).blocks;
    engines.kernels = std::clamp(device.gpu.multiprocessors / int(blocks), 1, device.kernels);
    return engines;
}

struct Timed {
    std::optional<Statistics> ms;
    bool checked = false, right = true;
    std::string problem;
};

// What a session refuses is a problem of this plan alone.
Timed timed(const Task& task, Pipeline& pipeline, const Plan& plan, bool as_graph) {
    Timed result;
    try {
        if (task.session.facts().moves_bytes) {
            result.right = pipeline.right(plan, as_graph);
            result.checked = true;
        }
        std::vector<double> ms;
        if (as_graph) ms = pipeline.sample_graph(plan, samples_of(task));
        if (!as_graph) (void)pipeline.sample(plan);
        while (!as_graph && int(ms.size()) < samples_of(task)) {
            if (task.stop.stop_requested()) return result;
            ms.push_back(pipeline.sample(plan));
        }
        result.ms = statistics_of(std::move(ms));
    } catch (const Error& error) {
        result.problem = error.what();
    }
    return result;
}

// What the whole array takes, in one piece: what everything else is compared with.
struct Whole {
    PartTimes parts;
    double serial_ms = 0;
};

class Run {
  public:
    Run(const Task& task, Outcome& outcome)
        : task_(task),
          outcome_(outcome),
          pipeline_(task.session, workload_of(task, HostMemory::pinned)),
          steps_(task, int(rows().size()) + kMeasuredParts + (sweeps() ? 2 * int(places().size()) : 0)) {}

    void run() {
        if (!measure_parts()) return;
        add_table();
        add_timelines();
        if (sweeps()) add_plot();
        summarise();
    }

  private:
    static constexpr int kMeasuredParts = 3;
    struct Row {
        Message name;
        Plan plan;
        HostMemory memory = HostMemory::pinned;
        bool as_graph = false;
    };

    [[nodiscard]] bool sweeps() const { return task_.axis == int(kPieces); }
    [[nodiscard]] static std::vector<std::int64_t> places() { return places_of(pieces_control()); }
    [[nodiscard]] Order order() const { return Order(task_.values.at(kOrder)); }
    [[nodiscard]] Limits limits(const Plan& plan) const {
        return limits_of(whole_.parts, engines_of(task_), plan);
    }

    [[nodiscard]] std::vector<Row> rows() const {
        const bool four = mode_of(task_) == Mode::concurrent;
        const auto all = [&](Order order) { return plan_of(task_, Overlap::three_way, order); };
        std::vector<Row> rows{
            {message("serial"), plan_of(task_, Overlap::serial, order())},
            {message("2-way: kernels, copies out"), plan_of(task_, Overlap::two_way, order())},
            {four ? message("4-way and more, depth-first") : message("3-way, depth-first"),
             all(Order::depth_first)},
            {four ? message("4-way and more, breadth-first") : message("3-way, breadth-first"),
             all(Order::breadth_first)},
            {message("from pageable memory"), all(order()), HostMemory::pageable}};
        if (mode_of(task_) == Mode::graph)
            rows.push_back({message("as a graph"), all(order()), HostMemory::pinned, true});
        return rows;
    }

    // False where it was stopped.
    bool measure_parts() {
        const int samples = samples_of(task_);
        if (!steps_.go_on()) return false;
        whole_.parts.in_ms = pipeline_.alone(Part::in, samples);
        whole_.parts.out_ms = pipeline_.alone(Part::out, samples);
        if (!steps_.go_on()) return false;
        pipeline_.set_kernel(whole_.parts.in_ms * double(task_.values.at(kWork)) / 100);
        if (!steps_.go_on()) return false;
        whole_.parts.kernel_ms = pipeline_.alone(Part::kernel, samples);
        return true;
    }

    void add_table() {
        outcome_.tables.push_back({message("at {}", bytes_text(task_.values.at(kSize))),
                                   {{message("overlap"), ""},
                                    {message("time"), "ms"},
                                    {message("speedup"), "x"},
                                    {message("limit"), "ms"},
                                    {message("of the limit"), "%"},
                                    {message("result"), ""}},
                                   {}});
        for (const Row& row : rows()) {
            if (!steps_.go_on()) return;
            add_row(row);
        }
    }

    void add_row(const Row& row) {
        Timed result;
        if (row.memory == HostMemory::pinned) {
            result = timed(task_, pipeline_, row.plan, row.as_graph);
        } else {
            try {
                Pipeline other(task_.session, workload_of(task_, row.memory));
                other.set_rounds(pipeline_.rounds());
                result = timed(task_, other, row.plan, row.as_graph);
            } catch (const Error& error) {
                result.problem = error.what();
            }
        }
        if (row.plan.overlap == Overlap::serial && result.ms) whole_.serial_ms = result.ms->median;
        outcome_.wrong = outcome_.wrong || !result.right;
        const Kind kind = outcome_.kind;
        std::vector<TableCell> cells{row.name};
        if (!result.ms || whole_.serial_ms <= 0) {
            cells.resize(5, TableCell(Message("–")));
            cells.emplace_back(result.problem.empty() ? message("stopped") : Message(result.problem));
            outcome_.tables.front().rows.push_back(std::move(cells));
            return;
        }
        const double ms = result.ms->median;
        const double least = limits(row.plan).least_ms();
        cells.emplace_back(TableFigure{ms, kind, result.ms->spread(), result.ms->samples});
        cells.emplace_back(TableFigure{whole_.serial_ms / ms, kind, 0, result.ms->samples});
        cells.emplace_back(TableFigure{least, Kind::calculated});
        cells.emplace_back(TableFigure{100 * least / ms, kind, 0, result.ms->samples});
        cells.emplace_back(!result.right    ? message("WRONG: other words came back")
                           : result.checked ? message("as defined")
                                            : message("not checked"));
        outcome_.tables.front().rows.push_back(std::move(cells));
    }

    void add_timelines() {
        const std::pair<Message, Plan> shown[]{
            {message("serial"), plan_of(task_, Overlap::serial, order())},
            {message("2-way"), plan_of(task_, Overlap::two_way, order())},
            {message("depth-first"), plan_of(task_, Overlap::three_way, Order::depth_first)},
            {message("breadth-first"), plan_of(task_, Overlap::three_way, Order::breadth_first)}};
        for (const auto& [title, plan] : shown) {
            if (task_.stop.stop_requested()) return;
            Timeline timeline{title, outcome_.kind, {}, {}};
            const bool serial = plan.overlap == Overlap::serial;
            const int lanes = serial ? 1 : std::min(plan.streams, plan.pieces);
            for (int i = 0; i < lanes; ++i) timeline.lanes.push_back(message("stream {}", i + 1));
            pipeline_.add_bars(plan, timeline);
            timeline.least_ms = outcome_.timelines.empty() ? 0 : end_of(outcome_.timelines.front());
            const Limits least = limits(plan);
            if (!serial)
                timeline.limits = {{message("Amdahl"), least.amdahl_ms},
                                   {message("slowest engine"), least.slowest_ms}};
            outcome_.timelines.push_back(std::move(timeline));
        }
    }

    [[nodiscard]] Plan with_pieces(Order order, std::int64_t pieces) const {
        Plan plan = plan_of(task_, Overlap::three_way, order);
        plan.pieces = int(pieces);
        return plan;
    }

    void add_plot() {
        ResultPlot plot{
            message("over the pieces"), {message("pieces"), "", true}, {message("speedup"), "x", false}, {}};
        for (const Order order : {Order::depth_first, Order::breadth_first}) {
            PlotSeries series{order == Order::depth_first ? message("depth-first") : message("breadth-first"),
                              outcome_.kind,
                              {},
                              false};
            for (const std::int64_t pieces : places()) {
                if (!steps_.go_on()) return;
                const Timed result = timed(task_, pipeline_, with_pieces(order, pieces), false);
                outcome_.wrong = outcome_.wrong || !result.right;
                if (!result.ms) continue;
                const double ms = result.ms->median;
                const double gained = whole_.serial_ms / ms;
                series.points.push_back({double(pieces), gained, gained * result.ms->spread() / ms});
            }
            plot.series.push_back(std::move(series));
        }
        add_limit_lines(plot);
        outcome_.plots.push_back(std::move(plot));
    }

    void add_limit_lines(ResultPlot& plot) const {
        PlotSeries both{message("Amdahl and slowest engine"), Kind::calculated, {}, true};
        double highest = 0;
        for (const std::int64_t pieces : places()) {
            const Limits least = limits(with_pieces(order(), pieces));
            both.points.push_back({double(pieces), whole_.serial_ms / least.least_ms(), 0});
            highest = std::max(highest, whole_.serial_ms / least.slowest_ms);
        }
        PlotSeries slowest{message("slowest engine"), Kind::calculated, {}, true};
        for (const PlotPoint& end : {both.points.front(), both.points.back()})
            slowest.points.push_back({end.x, highest, 0});
        plot.series.push_back(std::move(both));
        plot.series.push_back(std::move(slowest));
    }

    // Of a row that is there and has a time.
    [[nodiscard]] const TableFigure* figure_of(std::size_t row, std::size_t column) const {
        const auto& rows = outcome_.tables.front().rows;
        return row < rows.size() ? std::get_if<TableFigure>(&rows[row][column]) : nullptr;
    }

    void summarise() {
        if (outcome_.wrong) {
            outcome_.headline = message("Other words came back than are defined");
            outcome_.sentences = {message("The table says where.")};
            return;
        }
        constexpr std::size_t kDepth = 2;
        constexpr std::size_t kGraph = 5;
        const bool graph = mode_of(task_) == Mode::graph;
        const std::size_t row = graph ? kGraph : kDepth + std::size_t(order());
        const TableFigure* speedup = figure_of(row, 2);
        if (!speedup) {
            outcome_.headline = message("No time");
            outcome_.sentences = {message("The table says why.")};
            return;
        }
        const Limits least = limits(rows()[row].plan);
        outcome_.headline = message("{} times as fast as serial", fmt::format("{:.2f}", speedup->value));
        const auto gain = [&](double ms) { return three_digits(whole_.serial_ms / ms); };
        outcome_.sentences.push_back(message("Amdahl allows {}, the slowest engine {} ({}): {} % reached.",
                                             gain(least.amdahl_ms), gain(least.slowest_ms),
                                             std::string(least.slowest),
                                             fmt::format("{:.0f}", figure_of(row, 4)->value)));
        const TableFigure* depth = figure_of(kDepth, 1);
        const TableFigure* breadth = figure_of(kDepth + 1, 1);
        if (depth && breadth)
            outcome_.sentences.push_back(message("Depth-first {} ms, breadth-first {} ms.",
                                                 three_digits(depth->value), three_digits(breadth->value)));
    }

    const Task& task_;
    Outcome& outcome_;
    Pipeline pipeline_;
    TaskSteps steps_;
    Whole whole_;
};

void note_conditions(const Task& task, Outcome& outcome) {
    const SessionDevice& device = device_of(task);
    outcome.notes.push_back(message(
        "Amdahl: the first copy in and the last copy out have nothing beside them, the rest is spread "
        "over what runs at the same time; slowest engine: what it has to do, without a gap"));
    outcome.notes.push_back(message("{}: {} copies and {} kernels at the same time, at most", device.gpu.name,
                                    std::min(2, device.copy_engines), device.kernels));
    if (mode_of(task) == Mode::fermi)
        outcome.notes.push_back(
            message("Fermi's queues, by events: each engine takes its commands in the order of issue, and a "
                    "copy out waits for the latest kernel that was issued before it"));
    if (outcome.kind == Kind::estimated)
        outcome.notes.push_back(message(
            "estimated by a model of copy engines, multiprocessors and hardware queues; no bytes are moved"));
    else
        outcome.notes.push_back(message(
            "a bar begins when its stream has come to it and its engine is done with the one before"));
}

Outcome run(const Task& task) {
    Outcome outcome;
    outcome.gpu = device_of(task).gpu.name;
    outcome.kind = task.session.facts().kind;
    Run(task, outcome).run();
    note_conditions(task, outcome);
    outcome.complete = !task.stop.stop_requested();
    if (outcome.headline.empty()) outcome.headline = message("No time");
    return outcome;
}

Experiment make() {
    Experiment made;
    made.id = "streams";
    made.title = "copies and kernels at the same time";
    made.question = "How much of the copies hides behind kernels, and what limits it?";
    made.controls = {
        pieces_control(),
        {"streams", "streams", NumberControl{1, 16}, 4},
        {"order", "order", ChoiceControl{{{"depth", "depth"}, {"breadth", "breadth"}}}, 0},
        {"size", "bytes", BytesControl{1 << 20, 1 << 29}, 1 << 26},
        {"work", "work, %", NumberControl{25, 800, true}, 100},
        {"mode", "mode",
         ChoiceControl{
             {{"plain", "plain"}, {"concurrent", "concurrent"}, {"graph", "graph"}, {"fermi", "Fermi"}}},
         0}};
    made.kernels = {"piecework"};
    made.figures = {{"kernels at the same time on Fermi", 16, "kernels", kEfficientProgramming},
                    {"copies at the same time on Fermi", 2, "copies", kEfficientProgramming}};
    made.run = run;
    return made;
}

}  // namespace

const Experiment& experiment() {
    static const Experiment kExperiment = make();
    return kExperiment;
}

}  // namespace ws::streams
