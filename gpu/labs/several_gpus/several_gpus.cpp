#include "gpu/labs/several_gpus/several_gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gpu/core/error.h"
#include "gpu/core/statistics.h"
#include "gpu/labs/several_gpus/strip_pipeline.h"
#include "gpu/labs/task_steps.h"

namespace ws::several_gpus {
namespace {

// Places in the experiment's list.
enum ControlPlace : std::size_t { kGpus, kHalosOf, kHostThreads, kData, kColumns, kRows };

// Places in the control's list.
enum class Threads : std::int64_t { one, each };

constexpr int kMostGpus = 8;
constexpr int kSamples = 9;
constexpr std::array kAllThreads{Threads::one, Threads::each};
constexpr std::array kWays{Halos::peer_copy, Halos::host, Halos::peer_access, Halos::twice};

Message name_of(Halos halos) {
    switch (halos) {
        case Halos::peer_copy:
            return message("peer copies");
        case Halos::host:
            return message("through the host");
        case Halos::peer_access:
            return message("peer access");
        case Halos::twice:
            return message("computed twice");
    }
    return {};
}

// For a page, of which there are many.
Message short_name_of(Halos halos) {
    switch (halos) {
        case Halos::peer_copy:
            return message("copies");
        case Halos::host:
            return message("host");
        case Halos::peer_access:
            return message("access");
        case Halos::twice:
            return message("twice");
    }
    return {};
}

Message name_of(Threads threads) {
    return threads == Threads::one ? message("one for all GPUs") : message("one for each GPU");
}

int gpus_there(const Task& task) {
    return std::min(kMostGpus, int(task.session.facts().devices.size()));
}

struct Timed {
    std::optional<Statistics> ms, host_ms;
    bool checked = false, right = true;
    std::string problem;
};

// What a session refuses is a problem of this way alone.
Timed timed(const Task& task, StripPipeline& pipeline, const Way& way) {
    Timed result;
    const bool measures = task.session.facts().kind == Kind::measured;
    try {
        pipeline.prepare(way.halos);
        if (task.session.facts().moves_bytes) {
            result.right = pipeline.right(way);
            result.checked = true;
        }
        (void)pipeline.sample(way);
        std::vector<double> ms;
        std::vector<double> host_ms;
        while (int(ms.size()) < (measures ? kSamples : 1)) {
            if (task.stop.stop_requested()) return result;
            const StripTime time = pipeline.sample(way);
            ms.push_back(time.ms);
            host_ms.push_back(time.host_ms);
        }
        result.ms = statistics_of(std::move(ms));
        result.host_ms = statistics_of(std::move(host_ms));
    } catch (const Error& error) {
        result.problem = error.what();
    }
    return result;
}

class Run {
  public:
    Run(const Task& task, Outcome& outcome)
        : task_(task),
          outcome_(outcome),
          size_{int(task.values.at(kColumns)), int(task.values.at(kRows))},
          gpus_(std::min(int(task.values.at(kGpus)), gpus_there(task))),
          steps_(task, 2 + int(kAllThreads.size()) +
                           int(kWays.size()) * (1 + (sweeps() ? gpus_there(task) - 1 : 0))) {}

    void run() {
        if (!steps_.go_on()) return;
        if (task_.session.facts().moves_bytes) picture_ = make_test_picture(size_);
        add_tables();
        if (sweeps()) add_plot();
        summarise();
    }
    // Fewer than GPUs where the picture is low.
    [[nodiscard]] int strips() const { return int(strips_of(size_.height, gpus_).size()); }

  private:
    [[nodiscard]] bool sweeps() const { return task_.axis == int(kGpus); }
    [[nodiscard]] Halos chosen() const { return Halos(task_.values.at(kHalosOf)); }
    [[nodiscard]] Threads threads() const { return Threads(task_.values.at(kHostThreads)); }
    [[nodiscard]] static Way way(Halos halos, Threads threads) {
        return {halos, threads == Threads::one ? 1 : kMostGpus};
    }
    [[nodiscard]] StripWork work(int gpus) const {
        return {size_, gpus, task_.values.at(kData) != 0, picture_};
    }

    void add_tables() {
        outcome_.tables.push_back({threads() == Threads::one ? message("on {} GPUs", strips())
                                                             : message("on {} GPUs, a thread each", strips()),
                                   {{message("way"), ""},
                                    {message("time"), "ms"},
                                    {message("speedup"), "x"},
                                    {message("of the ideal"), "%"},
                                    {message("halos"), "KiB"},
                                    {message("rows twice"), ""},
                                    {message("result"), ""}},
                                   {}});
        if (!steps_.go_on()) return;
        {
            StripPipeline one(task_.session, work(1));
            const Way alone{Halos::twice, 1};
            const Timed result = timed(task_, one, alone);
            if (result.ms) one_ms_ = result.ms->median;
            add_row(message("one GPU"), result, 1, alone.halos);
            if (result.ms) add_timeline(message("one GPU"), one, alone);
        }
        StripPipeline all(task_.session, work(gpus_));
        for (const Halos halos : kWays) {
            if (!steps_.go_on()) return;
            const Way one = way(halos, threads());
            const Timed result = timed(task_, all, one);
            add_row(name_of(halos), result, all.strips(), halos);
            if (result.ms && !task_.stop.stop_requested()) add_timeline(short_name_of(halos), all, one);
        }
        if (all.strips() > 1) add_threads(all);
    }

    // The chosen way once with each number of threads.
    void add_threads(StripPipeline& pipeline) {
        outcome_.tables.push_back({message("threads"),
                                   {{message("host threads"), ""},
                                    {message("time"), "ms"},
                                    {message("host's calls"), "ms"},
                                    {message("speedup"), "x"},
                                    {message("result"), ""}},
                                   {}});
        for (const Threads threads : kAllThreads) {
            if (!steps_.go_on()) return;
            const Timed result = timed(task_, pipeline, way(chosen(), threads));
            outcome_.wrong = outcome_.wrong || !result.right;
            auto& rows = outcome_.tables.back().rows;
            std::vector<TableCell> cells{name_of(threads)};
            if (result.ms && one_ms_ > 0) {
                const int samples = result.ms->samples;
                cells.emplace_back(
                    TableFigure{result.ms->median, outcome_.kind, result.ms->spread(), samples});
                cells.emplace_back(
                    TableFigure{result.host_ms->median, outcome_.kind, result.host_ms->spread(), samples});
                cells.emplace_back(TableFigure{one_ms_ / result.ms->median, outcome_.kind, 0, samples});
                cells.emplace_back(said(result));
            } else {
                add_problem(cells, result, outcome_.tables.back());
            }
            rows.push_back(std::move(cells));
        }
    }

    [[nodiscard]] static Message said(const Timed& result) {
        return !result.right    ? message("WRONG: other pixels came out")
               : result.checked ? message("as defined")
                                : message("not checked");
    }
    static void add_problem(std::vector<TableCell>& cells, const Timed& result, const ResultTable& table) {
        cells.resize(table.columns.size() - 1, TableCell(Message("–")));
        cells.emplace_back(result.problem.empty() ? message("stopped") : Message(result.problem));
    }

    void add_row(Message name, const Timed& result, int strips, Halos halos) {
        outcome_.wrong = outcome_.wrong || !result.right;
        auto& rows = outcome_.tables.front().rows;
        std::vector<TableCell> cells{std::move(name)};
        if (!result.ms || one_ms_ <= 0) {
            add_problem(cells, result, outcome_.tables.front());
            rows.push_back(std::move(cells));
            return;
        }
        const double ms = result.ms->median;
        const int samples = result.ms->samples;
        const bool twice = halos == Halos::twice;
        cells.emplace_back(TableFigure{ms, outcome_.kind, result.ms->spread(), samples});
        cells.emplace_back(TableFigure{one_ms_ / ms, outcome_.kind, 0, samples});
        cells.emplace_back(TableFigure{100 * one_ms_ / ms / strips, outcome_.kind, 0, samples});
        cells.emplace_back(
            TableFigure{twice ? 0 : double(halo_bytes(size_, strips)) / 1024, Kind::calculated});
        cells.emplace_back(TableFigure{twice ? double(rows_twice(size_, strips)) : 0, Kind::calculated});
        cells.emplace_back(said(result));
        rows.push_back(std::move(cells));
    }

    void add_timeline(Message title, StripPipeline& pipeline, const Way& way) {
        Timeline timeline{std::move(title), outcome_.kind, {}, {}};
        const auto& devices = task_.session.facts().devices;
        for (int gpu = 0; gpu < pipeline.strips(); ++gpu) {
            const GpuPlace& place = devices[std::size_t(gpu)].place;
            timeline.lanes.push_back(place.of > 0 ? Message(fmt::format("cuda:{}", place.number))
                                                  : message("GPU {}", gpu + 1));
        }
        pipeline.add_bars(way, timeline);
        timeline.least_ms = outcome_.timelines.empty() ? 0 : end_of(outcome_.timelines.front());
        if (pipeline.strips() > 1)
            timeline.limits = {{message("ideal"), one_ms_ / double(pipeline.strips())}};
        outcome_.timelines.push_back(std::move(timeline));
    }

    void add_plot() {
        ResultPlot plot{
            message("over the GPUs"), {message("GPUs"), "", false}, {message("speedup"), "x", false}, {}};
        for (const Halos halos : kWays)
            plot.series.push_back(
                {name_of(halos), outcome_.kind, {{1, 1, 0}}, false, false, halos == chosen()});
        for (int gpus = 2; gpus <= gpus_there(task_); ++gpus) {
            StripPipeline pipeline(task_.session, work(gpus));
            for (std::size_t i = 0; i < kWays.size(); ++i) {
                if (!steps_.go_on()) return;
                const Timed result = timed(task_, pipeline, way(kWays[i], threads()));
                outcome_.wrong = outcome_.wrong || !result.right;
                if (!result.ms || one_ms_ <= 0) continue;
                const double gained = one_ms_ / result.ms->median;
                plot.series[i].points.push_back(
                    {double(gpus), gained, gained * result.ms->spread() / result.ms->median});
            }
        }
        const auto most = double(gpus_there(task_));
        plot.series.push_back({message("ideal"), Kind::calculated, {{1, 1, 0}, {most, most, 0}}, true});
        outcome_.plots.push_back(std::move(plot));
    }

    // Of a row that is there and has a time; the first is that of one GPU.
    [[nodiscard]] const TableFigure* figure_of(std::size_t row, std::size_t column,
                                               std::size_t table = 0) const {
        if (table >= outcome_.tables.size()) return nullptr;
        const auto& rows = outcome_.tables[table].rows;
        return row < rows.size() ? std::get_if<TableFigure>(&rows[row][column]) : nullptr;
    }

    void summarise() {
        if (outcome_.wrong) {
            outcome_.headline = message("Other pixels came out than are defined");
            outcome_.sentences = {message("The table says where.")};
            return;
        }
        const std::size_t row = 1 + std::size_t(chosen());
        const TableFigure* speedup = figure_of(row, 2);
        if (!speedup) {
            outcome_.headline = message("No time");
            outcome_.sentences = {message("The table says why.")};
            return;
        }
        outcome_.headline =
            message("{} times as fast on {} GPUs", fmt::format("{:.2f}", speedup->value), strips());
        outcome_.sentences.push_back(message("{} % of the ideal, {} times.",
                                             fmt::format("{:.0f}", figure_of(row, 3)->value), strips()));
        std::size_t best = row;
        for (std::size_t other = 1; other <= kWays.size(); ++other) {
            const TableFigure* ms = figure_of(other, 1);
            if (ms && ms->value < figure_of(best, 1)->value) best = other;
        }
        outcome_.sentences.push_back(message("The fastest halos: {}, {} ms.",
                                             english(name_of(kWays[best - 1])),
                                             fmt::format("{:.3f}", figure_of(best, 1)->value)));
        const TableFigure* one_ms = figure_of(0, 1, 1);
        const TableFigure* each_ms = figure_of(1, 1, 1);
        if (one_ms && each_ms)
            outcome_.sentences.push_back(message("A thread each: {} times as fast.",
                                                 fmt::format("{:.2f}", one_ms->value / each_ms->value)));
    }

    const Task& task_;
    Outcome& outcome_;
    Extent size_;
    int gpus_;
    TaskSteps steps_;
    std::shared_ptr<const TestPicture> picture_;
    double one_ms_ = 0;
};

void note_conditions(const Task& task, const Run& run, Outcome& outcome) {
    const Link link = task.session.peer_link(0, 1);
    outcome.notes.push_back(
        message("{} x {} pixels; halos go both ways, rows twice are of gray and of the blur",
                task.values.at(kColumns), task.values.at(kRows)));
    outcome.notes.push_back(
        message("1: gray, 2: blur, which needs three rows of its neighbours, 3: edges, which "
                "need one"));
    outcome.notes.push_back(message(
        "host threads by the chosen way of the halos; their calls: until all commands are issued, from "
        "when all threads are there"));
    if (task.values.at(kGpus) > gpus_there(task))
        outcome.notes.push_back(
            message("{} GPUs are asked for, {} are there", task.values.at(kGpus), gpus_there(task)));
    else if (task.values.at(kGpus) > run.strips())
        outcome.notes.push_back(message("{} of {} GPUs have a strip", run.strips(), task.values.at(kGpus)));
    if (link.name.empty())
        outcome.notes.push_back(message("the first two GPUs do not reach each other's memory"));
    else if (link.gb_s > 0)
        outcome.notes.push_back(message("between the first two GPUs: {}, at most {} GB/s", link.name,
                                        fmt::format("{:.0f}", link.gb_s)));
    if (outcome.kind == Kind::estimated)
        outcome.notes.push_back(message(
            "estimated: GPUs of one kind, each with a link of its own to the host; kernels cost a pixel "
            "what simple ones did on an H200; no bytes are moved"));
    else
        outcome.notes.push_back(
            message("the bars of each GPU are by its own clock, from when it has seen the first GPU begin"));
}

Outcome run(const Task& task) {
    if (task.session.facts().devices.size() < 2)
        throw Error("there is one GPU, and strips take two", "",
                    "choose --device simt, which models several");
    Outcome outcome;
    outcome.gpu = task.session.facts().devices.front().gpu.name;
    outcome.kind = task.session.facts().kind;
    Run all(task, outcome);
    all.run();
    note_conditions(task, all, outcome);
    outcome.complete = !task.stop.stop_requested();
    if (outcome.headline.empty()) outcome.headline = message("No time");
    return outcome;
}

Experiment make() {
    Experiment made;
    made.id = "several-gpus";
    made.title = "a picture on several GPUs";
    made.question = "How much faster are several GPUs, and what do the rows cost that they share?";
    made.controls = {
        {"gpus", "GPUs", NumberControl{1, kMostGpus}, 2, true},
        {"halos", "halos",
         ChoiceControl{{{"copy", "copies"}, {"host", "host"}, {"access", "access"}, {"twice", "twice"}}}, 0},
        {"threads", "threads", ChoiceControl{{{"one", "one"}, {"each", "each"}}}, 0},
        {"copies", "host copies", FlagControl{}, 0},
        {"columns", "columns", NumberControl{1, 16384, true}, 4096},
        {"rows", "rows", NumberControl{1, 16384, true}, 4096}};
    made.kernels = {"strips"};
    made.least_gpus = 2;
    made.run = run;
    return made;
}

}  // namespace

const Experiment& experiment() {
    static const Experiment kExperiment = make();
    return kExperiment;
}

}  // namespace ws::several_gpus
