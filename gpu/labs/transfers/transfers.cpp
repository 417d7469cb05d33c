#include "gpu/labs/transfers/transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/error.h"
#include "gpu/labs/lectures.h"
#include "gpu/labs/task_steps.h"
#include "gpu/labs/transfers/ways.h"

namespace ws::transfers {
namespace {

// Places in the experiment's list.
enum ControlPlace : std::size_t { kDirection, kSize, kSamples, kCheck };

constexpr std::int64_t kLeast = 1 << 10;

Control size_control() {
    return {"size", "bytes of a transfer", BytesControl{kLeast, kMostBytes}, std::int64_t(64) << 20, true};
}

Message title_of(Direction direction) {
    switch (direction) {
        case Direction::up:
            return message("to the GPU");
        case Direction::down:
            return message("to the host");
        case Direction::both:
            return message("both at once");
        case Direction::peer:
            return message("to another GPU");
        case Direction::all:
            break;
    }
    return message("all");
}

// What is asked for; all of it but peers where there is one GPU.
std::vector<Direction> directions_of(const Task& task) {
    const auto asked = Direction(task.values.at(kDirection));
    const bool several = task.session.facts().devices.size() > 1;
    if (asked == Direction::peer && !several)
        throw Error("there is one GPU, and a transfer between GPUs takes two", "",
                    "choose another direction");
    if (asked != Direction::all) return {asked};
    std::vector<Direction> directions{Direction::up, Direction::down, Direction::both};
    if (several) directions.push_back(Direction::peer);
    return directions;
}

// What the link carries at most, of all bytes of the direction.
Link limit_of(DeviceSession& session, Direction direction) {
    Link link = direction == Direction::peer ? session.peer_link(0, 1) : session.facts().devices.front().link;
    if (direction != Direction::both) return link;
    link.gb_s *= 2;
    return link;
}

Trial trial_of(const Task& task, Direction direction, std::int64_t bytes) {
    const bool measures = task.session.facts().kind == Kind::measured;
    return {direction, bytes, measures ? int(task.values.at(kSamples)) : 1, task.values.at(kCheck) != 0};
}

Message check_text(const Measured& measured) {
    if (measured.wrong) return message("WRONG: other bytes arrived");
    return measured.checked ? message("as sent") : message("not checked");
}

void add_row(const Task& task, Direction direction, const Way& way, std::int64_t bytes, Outcome& outcome) {
    const Measured measured = measure(task.session, way, trial_of(task, direction, bytes), task.stop);
    const Kind kind = outcome.kind;
    std::vector<TableCell> row{title_of(direction), Message(std::string(way.title)),
                               Message(bytes_text(bytes))};
    if (!measured.ms) {
        row.insert(row.end(),
                   {TableCell(Message("–")), TableCell(Message("–")), TableCell(Message("–")),
                    TableCell(measured.problem.empty() ? message("stopped") : Message(measured.problem))});
        outcome.tables.front().rows.push_back(std::move(row));
        return;
    }
    const Link limit = limit_of(task.session, direction);
    row.emplace_back(TableFigure{measured.ms->median, kind, measured.ms->spread(), measured.ms->samples});
    row.emplace_back(TableFigure{measured.gb_s, kind, measured.spread_gb_s, measured.ms->samples});
    if (limit.gb_s > 0)
        row.emplace_back(TableFigure{100 * measured.gb_s / limit.gb_s, kind, 0, measured.ms->samples});
    else
        row.emplace_back(Message("–"));
    row.emplace_back(check_text(measured));
    outcome.tables.front().rows.push_back(std::move(row));
    outcome.wrong = outcome.wrong || measured.wrong;
}

// All ways with the size that is set.
void fill_table(const Task& task, const std::vector<Direction>& directions, TaskSteps& steps,
                Outcome& outcome) {
    outcome.tables.push_back({message("at {}", bytes_text(task.values.at(kSize))),
                              {{message("direction"), ""},
                               {message("memory"), ""},
                               {message("bytes"), ""},
                               {message("time"), "ms"},
                               {message("rate"), "GB/s"},
                               {message("of the limit"), "%"},
                               {message("arrived"), ""}},
                              {}});
    for (const Direction direction : directions) {
        for (const Way& way : ways_of(direction)) {
            if (!steps.go_on()) return;
            add_row(task, direction, way, std::min(task.values.at(kSize), way.most_bytes), outcome);
        }
    }
}

std::string name_of_gpu(const Task& task, int gpu) {
    const GpuPlace& place = task.session.facts().devices[std::size_t(gpu)].place;
    return place.of > 0 ? fmt::format("cuda:{}", place.number) : fmt::format("GPU {}", gpu + 1);
}

// From which GPU to which one: they need not all be linked alike. Where there are two, the first table has
// it.
bool shows_pairs(const Task& task, const std::vector<Direction>& directions) {
    return directions.front() == Direction::peer && task.session.facts().devices.size() > 2;
}
int pairs_of(const Task& task) {
    const auto gpus = int(task.session.facts().devices.size());
    return gpus * (gpus - 1);
}

TableCell pair_cell(const Task& task, int from, int to, Outcome& outcome) {
    const std::span<const Way> ways = ways_of(Direction::peer);
    const bool reaches = !task.session.peer_link(from, to).name.empty();
    const Way& way = reaches ? ways[0] : ways[1];
    Trial trial = trial_of(task, Direction::peer, std::min(task.values.at(kSize), way.most_bytes));
    trial.from = from;
    trial.to = to;
    const Measured measured = measure(task.session, way, trial, task.stop);
    outcome.wrong = outcome.wrong || measured.wrong;
    if (measured.wrong) return message("WRONG: other bytes arrived");
    if (!measured.ms) return measured.problem.empty() ? message("stopped") : Message(measured.problem);
    return TableFigure{measured.gb_s, outcome.kind, measured.spread_gb_s, measured.ms->samples};
}

void add_pairs(const Task& task, TaskSteps& steps, Outcome& outcome) {
    const auto gpus = int(task.session.facts().devices.size());
    ResultTable table{message("from each GPU to each other one"), {{message("from"), ""}}, {}};
    for (int to = 0; to < gpus; ++to)
        table.columns.push_back({message("to {}", name_of_gpu(task, to)), "GB/s"});
    for (int from = 0; from < gpus; ++from) {
        std::vector<TableCell> row{Message(name_of_gpu(task, from))};
        for (int to = 0; to < gpus; ++to) {
            if (from == to) {
                row.emplace_back(Message("–"));
                continue;
            }
            if (!steps.go_on()) return outcome.tables.push_back(std::move(table));
            row.push_back(pair_cell(task, from, to, outcome));
        }
        table.rows.push_back(std::move(row));
    }
    outcome.tables.push_back(std::move(table));
    outcome.notes.push_back(
        message("from each GPU to each other one: peer copies, through the host where two do not reach each "
                "other's memory; one pair at a time"));
}

Message name_of_limit(const Link& limit, Direction direction) {
    return direction == Direction::both ? message("{}, both directions", limit.name) : Message(limit.name);
}

PlotSeries limit_line(const Link& limit, Direction direction) {
    const auto at = [&](std::int64_t bytes) { return PlotPoint{double(bytes), limit.gb_s, 0}; };
    return {name_of_limit(limit, direction), Kind::calculated, {at(kLeast), at(kMostBytes)}, true};
}

ResultPlot plot_of(const Task& task, Direction direction, TaskSteps& steps, Outcome& outcome) {
    ResultPlot plot{title_of(direction),
                    {message("bytes of a transfer"), "bytes", true},
                    {message("rate"), "GB/s", false},
                    {}};
    for (const Way& way : ways_of(direction)) {
        PlotSeries series{Message(std::string(way.title)), outcome.kind, {}, false};
        std::string problem;
        for (const std::int64_t bytes : places_of(size_control())) {
            if (bytes > way.most_bytes || !steps.go_on()) break;
            const Measured measured = measure(task.session, way, trial_of(task, direction, bytes), task.stop);
            if (measured.ms)
                series.points.push_back({double(bytes), measured.gb_s, measured.spread_gb_s});
            else if (!measured.problem.empty())
                problem = bytes_text(bytes) + ": " + measured.problem;
            outcome.wrong = outcome.wrong || measured.wrong;
            if (measured.wrong)
                outcome.notes.push_back(message("{}, {}: other bytes arrived at {}", english(plot.title),
                                                english(series.name), bytes_text(bytes)));
        }
        if (!problem.empty())
            outcome.notes.push_back(
                message("{}, {}, {}", english(plot.title), english(series.name), problem));
        plot.series.push_back(std::move(series));
    }
    const Link limit = limit_of(task.session, direction);
    if (limit.gb_s > 0) plot.series.push_back(limit_line(limit, direction));
    return plot;
}

// Copies in both directions at once overlap where host memory is pinned, else they take turns.
void add_timeline(const Task& task, Outcome& outcome) {
    Timeline timeline{message("in four pieces"), outcome.kind, {}, {}};
    for (const HostMemory memory : {HostMemory::pageable, HostMemory::pinned}) {
        const auto lane = int(timeline.lanes.size());
        for (const Direction direction : {Direction::up, Direction::down})
            timeline.lanes.push_back(message("{}, {}", name_of(memory), english(title_of(direction))));
        try {
            add_bars(task.session, memory, task.values.at(kSize), lane, timeline);
        } catch (const Error& error) {
            outcome.notes.push_back(
                message("{}, {}: {}", english(timeline.title), name_of(memory), error.what()));
        }
    }
    outcome.timelines.push_back(std::move(timeline));
    outcome.notes.push_back(
        message("in four pieces: one host thread issues them in turn, in both directions"));
}

// The rate of a way in the table's first direction that has it.
const TableFigure* rate_of(const Outcome& outcome, std::string_view way) {
    for (const std::vector<TableCell>& row : outcome.tables.front().rows) {
        if (std::get<Message>(row[1]).pattern() == way) return std::get_if<TableFigure>(&row[4]);
    }
    return nullptr;
}

void summarise(const Task& task, Direction first, Outcome& outcome) {
    const bool peers = first == Direction::peer;
    const TableFigure* best = rate_of(outcome, peers ? "peer copy" : "pinned");
    const TableFigure* plain = rate_of(outcome, peers ? "through the host" : "pageable");
    const Link limit = limit_of(task.session, first);
    if (outcome.wrong) {
        outcome.headline = message("Other bytes arrived than were sent");
        outcome.sentences = {message("The table says where.")};
        return;
    }
    if (!best) {
        outcome.headline = message("No rate");
        outcome.sentences = {message("The table says why.")};
        return;
    }
    outcome.headline = message("{} GB/s {}", fmt::format("{:.1f}", best->value), english(title_of(first)));
    if (limit.gb_s > 0)
        outcome.sentences.push_back(message("{} carries at most {} GB/s.",
                                            english(name_of_limit(limit, first)),
                                            fmt::format("{:.1f}", limit.gb_s)));
    if (plain && plain->value > 0) {
        const std::string times = fmt::format("{:.1f}", best->value / plain->value);
        outcome.sentences.push_back(
            peers ? message("A direct copy is {} times as fast as one through the host.", times)
                  : message("Pinned memory is {} times as fast as pageable memory.", times));
    }
}

void note_conditions(const SessionFacts& facts, Outcome& outcome) {
    const SessionDevice& device = facts.devices.front();
    if (device.link.gb_s <= 0)
        outcome.notes.push_back(message("the driver does not say which link the GPU has: no limit is shown"));
    if (facts.kind == Kind::estimated)
        outcome.notes.push_back(
            message("estimated by a model of the link, the copy engines and the driver's staging buffers; no "
                    "bytes are moved, so none are checked"));
    else
        outcome.notes.push_back(
            message("copies of one sample follow each other in one queue for each direction, "
                    "issued by one host thread; 1 GB/s is 10^9 bytes a second"));
    outcome.notes.push_back(message("unified memory is tried up to 64 MiB"));
}

Outcome run(const Task& task) {
    const std::vector<Direction> directions = directions_of(task);
    const SessionFacts& facts = task.session.facts();
    const bool sweeps = task.axis == int(kSize);
    int total = 0;
    for (const Direction direction : directions)
        total += int(ways_of(direction).size()) * (sweeps ? 1 + int(places_of(size_control()).size()) : 1);
    if (shows_pairs(task, directions)) total += pairs_of(task);
    TaskSteps steps(task, total);
    Outcome outcome;
    outcome.gpu = facts.devices.front().gpu.name;
    outcome.kind = facts.kind;
    warm_up(task.session, task.stop);
    fill_table(task, directions, steps, outcome);
    if (shows_pairs(task, directions)) add_pairs(task, steps, outcome);
    if (directions.size() > 1 || directions.front() == Direction::both) add_timeline(task, outcome);
    for (const Direction direction : directions) {
        if (sweeps && !task.stop.stop_requested())
            outcome.plots.push_back(plot_of(task, direction, steps, outcome));
    }
    note_conditions(facts, outcome);
    summarise(task, directions.front(), outcome);
    outcome.complete = !task.stop.stop_requested();
    task.progress(total, total);
    return outcome;
}

Experiment make() {
    Experiment made;
    made.id = "transfers";
    made.title = "transfers between host and GPU";
    made.question = "How fast do bytes reach the GPU and come back, and what decides it?";
    made.controls = {{"direction", "direction",
                      ChoiceControl{{{"all", "all"},
                                     {"up", "to the GPU"},
                                     {"down", "to the host"},
                                     {"both", "both at once"},
                                     {"peer", "GPU to GPU"}}},
                      0},
                     size_control(),
                     {"samples", "samples", NumberControl{3, 100}, 9},
                     {"check", "compare what arrives", FlagControl{}, 1}};
    made.kernels = {"carry"};
    made.figures = {{"PCIe 2.0 x16", 8, "GB/s", kEfficientProgramming},
                    {"PCIe 3.0 x16", 16, "GB/s", kEfficientProgramming},
                    {"a channel of DDR3 memory", 26, "GB/s", kEfficientProgramming}};
    made.run = run;
    return made;
}

}  // namespace

const Experiment& experiment() {
    static const Experiment kExperiment = make();
    return kExperiment;
}

}  // namespace ws::transfers
