#include "app/cli/experiment_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "app/cli/json_report.h"

namespace ws {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> texts_of(const std::vector<Message>& messages) {
    std::vector<std::string> texts;
    texts.reserve(messages.size());
    for (const Message& message : messages) texts.push_back(english(message));
    return texts;
}
std::string sentence_of(const Outcome& outcome) {
    return fmt::format("{}", fmt::join(texts_of(outcome.sentences), " "));
}

Json json_of_values(const Experiment& experiment, const ControlValues& values) {
    Json json = Json::object();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Control& control = experiment.controls[i];
        if (std::holds_alternative<ChoiceControl>(control.takes))
            json[std::string(control.name)] = text_of(control, values[i]);
        else if (std::holds_alternative<FlagControl>(control.takes))
            json[std::string(control.name)] = values[i] != 0;
        else
            json[std::string(control.name)] = values[i];
    }
    return json;
}

Json json_of_control(const Control& control) {
    Json json{{"name", control.name}, {"title", control.title}, {"axis", control.axis}};
    if (const auto* choice = std::get_if<ChoiceControl>(&control.takes)) {
        json["kind"] = "choice";
        json["options"] = Json::array();
        for (const ChoiceControl::Option& option : choice->options) json["options"].push_back(option.name);
        json["first"] = text_of(control, control.first);
    } else if (std::holds_alternative<FlagControl>(control.takes)) {
        json["kind"] = "flag";
        json["first"] = control.first != 0;
    } else {
        json["kind"] = std::holds_alternative<BytesControl>(control.takes) ? "bytes" : "number";
        json["low"] = low_of(control);
        json["high"] = high_of(control);
        json["first"] = control.first;
    }
    return json;
}

Json json_of_axis(const PlotAxis& axis) {
    return {{"title", english(axis.title)}, {"unit", axis.unit}, {"logarithmic", axis.logarithmic}};
}

Json json_of(const ResultPlot& plot) {
    Json series = Json::array();
    for (const PlotSeries& one : plot.series) {
        Json points = Json::array();
        for (const PlotPoint& point : one.points) {
            points.push_back({{"x", point.x}, {"y", point.y}, {"spread", point.spread}});
            if (!point.name.empty()) points.back()["name"] = point.name;
        }
        series.push_back({{"name", english(one.name)},
                          {"kind", name_of(one.kind)},
                          {"limit", one.limit},
                          {"points", points}});
    }
    return {{"title", english(plot.title)},
            {"x", json_of_axis(plot.x)},
            {"y", json_of_axis(plot.y)},
            {"series", series}};
}

Json json_of(const TableCell& cell) {
    if (const auto* text = std::get_if<Message>(&cell)) return english(*text);
    const auto& figure = std::get<TableFigure>(cell);
    return {{"value", figure.value},
            {"kind", name_of(figure.kind)},
            {"spread", figure.spread},
            {"samples", figure.samples}};
}

Json json_of(const ResultTable& table) {
    Json columns = Json::array();
    for (const TableColumn& column : table.columns)
        columns.push_back({{"title", english(column.title)}, {"unit", column.unit}});
    Json rows = Json::array();
    for (const auto& row : table.rows) {
        Json cells = Json::array();
        for (const TableCell& cell : row) cells.push_back(json_of(cell));
        rows.push_back(std::move(cells));
    }
    return {{"title", english(table.title)}, {"columns", columns}, {"rows", rows}};
}

Json json_of(const Timeline& timeline) {
    Json bars = Json::array();
    for (const TimelineBar& bar : timeline.bars) {
        bars.push_back(
            {{"lane", bar.lane}, {"begin_ms", bar.begin_ms}, {"end_ms", bar.end_ms}, {"name", bar.name}});
        if (!timeline.parts.empty()) bars.back()["part"] = bar.part;
    }
    Json json{{"title", english(timeline.title)},  {"kind", name_of(timeline.kind)},
              {"lanes", texts_of(timeline.lanes)}, {"bars", bars},
              {"parts", texts_of(timeline.parts)}, {"limits", Json::array()}};
    for (const TimelineLimit& limit : timeline.limits)
        json["limits"].push_back({{"name", english(limit.name)}, {"at_ms", limit.at_ms}});
    return json;
}

template <typename List>
Json json_list(const List& list) {
    Json json = Json::array();
    for (const auto& entry : list) json.push_back(json_of(entry));
    return json;
}

// "" pads to `width` letters, however many bytes they have.
std::string padded(const std::string& text, std::size_t width, bool right) {
    const auto letters = std::size_t(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
    const std::string blanks(width > letters ? width - letters : 0, ' ');
    return right ? blanks + text : text + blanks;
}

std::string figure_text(double value) {
    if (value >= 1000 || value == std::round(value)) return fmt::format("{:.0f}", value);
    return value >= 10 ? fmt::format("{:.1f}", value) : fmt::format("{:.4g}", value);
}
std::string cell_text(const TableCell& cell) {
    if (const auto* text = std::get_if<Message>(&cell)) return english(*text);
    return figure_text(std::get<TableFigure>(cell).value);
}

// Rows of texts in columns that are as wide as their widest; the first row is the heading.
void print_grid(const std::vector<std::vector<std::string>>& grid, const std::vector<bool>& right) {
    std::vector<std::size_t> widths(right.size(), 0);
    for (const auto& row : grid) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    for (const auto& row : grid) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += padded(row[i], i + 1 == row.size() && !right[i] ? 0 : widths[i] + 2, right[i]);
        fmt::print("{}\n", line);
    }
    fmt::print("\n");
}

void print_table(const ResultTable& table, Kind kind) {
    fmt::print("{} ({})\n", english(table.title), name_of(kind));
    std::vector<std::vector<std::string>> grid(1);
    std::vector<bool> right;
    for (const TableColumn& column : table.columns) {
        grid[0].push_back(english(column.title) + (column.unit.empty() ? "" : ", " + column.unit));
        right.push_back(!column.unit.empty());
    }
    for (const auto& row : table.rows) {
        grid.emplace_back();
        for (const TableCell& cell : row) grid.back().push_back(cell_text(cell));
    }
    // A gap after figures, before text.
    for (auto& row : grid) {
        for (std::size_t i = 1; i < row.size(); ++i) {
            if (!right[i] && right[i - 1]) row[i] = "  " + row[i];
        }
    }
    print_grid(grid, right);
}

// A row for each place of the axis, a column for each series; limits stand above.
void print_plot(const ResultPlot& plot) {
    // Points that nothing joins are rows of a table, too.
    if (std::any_of(plot.series.begin(), plot.series.end(),
                    [](const PlotSeries& series) { return series.scattered; }))
        return;
    fmt::print("{}: {}, {}\n", english(plot.title), english(plot.y.title), plot.y.unit);
    std::set<double> places;
    std::vector<const PlotSeries*> shown;
    for (const PlotSeries& series : plot.series) {
        if (series.limit) {
            if (!series.points.empty())
                fmt::print("limit: {}, {} {} ({})\n", english(series.name),
                           figure_text(series.points.front().y), plot.y.unit, name_of(series.kind));
            continue;
        }
        shown.push_back(&series);
        for (const PlotPoint& point : series.points) places.insert(point.x);
    }
    std::vector<std::vector<std::string>> grid{{english(plot.x.title)}};
    for (const PlotSeries* series : shown) grid[0].push_back(english(series->name));
    for (const double x : places) {
        grid.push_back({plot.x.unit == "bytes" ? bytes_text(std::int64_t(x))
                        : plot.x.unit.empty()  ? fmt::format("{:g}", x)
                                               : figure_text(x)});
        for (const PlotSeries* series : shown) {
            const auto point = std::find_if(series->points.begin(), series->points.end(),
                                            [&](const PlotPoint& one) { return one.x == x; });
            grid.back().push_back(point == series->points.end() ? "–" : figure_text(point->y));
        }
    }
    std::vector<bool> right(grid[0].size(), true);
    right[0] = false;
    print_grid(grid, right);
}

constexpr std::string_view kPartSigns = ">#<+";

// The sign of a bar in the terminal.
char sign_of(const Timeline& timeline, const TimelineBar& bar) {
    if (!timeline.parts.empty()) return kPartSigns[std::size_t(bar.part) % kPartSigns.size()];
    return bar.name.empty() ? '#' : bar.name.front();
}

void print_timeline(const Timeline& timeline) {
    if (timeline.bars.empty()) return;
    constexpr int kWidth = 60;
    const double last = end_of(timeline);
    fmt::print("{} ({}), 0 to {} ms\n", english(timeline.title), name_of(timeline.kind), figure_text(last));
    std::size_t longest = 0;
    for (const std::string& lane : texts_of(timeline.lanes)) longest = std::max(longest, lane.size());
    for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
        std::string line(kWidth, '.');
        for (const TimelineBar& bar : timeline.bars) {
            if (bar.lane != int(lane) || last <= 0) continue;
            const int from = int(bar.begin_ms / last * kWidth);
            const int to = std::max(from + 1, int(bar.end_ms / last * kWidth));
            for (int i = from; i < std::min(to, kWidth); ++i) line[std::size_t(i)] = sign_of(timeline, bar);
        }
        fmt::print("{}  {}\n", padded(english(timeline.lanes[lane]), longest, false), line);
    }
    for (std::size_t part = 0; part < timeline.parts.size(); ++part)
        fmt::print("{} {}   ", kPartSigns[part % kPartSigns.size()], english(timeline.parts[part]));
    if (!timeline.parts.empty()) fmt::print("\n");
    for (const TimelineLimit& limit : timeline.limits)
        fmt::print("limit: {}, {} ms\n", english(limit.name), figure_text(limit.at_ms));
    fmt::print("\n");
}

}  // namespace

Json experiment_json(const Experiment& experiment) {
    Json json{{"id", experiment.id}, {"title", experiment.title}, {"question", experiment.question}};
    json["controls"] = json["figures"] = Json::array();
    for (const Control& control : experiment.controls) json["controls"].push_back(json_of_control(control));
    for (const QuotedFigure& figure : experiment.figures)
        json["figures"].push_back({{"what", figure.what},
                                   {"value", figure.value},
                                   {"unit", figure.unit},
                                   {"source", figure.source}});
    return json;
}

Json outcome_json(const Experiment& experiment, const ControlValues& values, int axis,
                  const Outcome& outcome) {
    return {{"lab", experiment.id},
            {"gpu", outcome.gpu},
            {"kind", name_of(outcome.kind)},
            {"controls", json_of_values(experiment, values)},
            {"axis", axis < 0 ? Json(nullptr) : Json(experiment.controls[std::size_t(axis)].name)},
            {"headline", english(outcome.headline)},
            {"sentence", sentence_of(outcome)},
            {"tables", json_list(outcome.tables)},
            {"plots", json_list(outcome.plots)},
            {"timelines", json_list(outcome.timelines)},
            {"notes", texts_of(outcome.notes)},
            {"wrong", outcome.wrong},
            {"complete", outcome.complete}};
}

std::string outcome_csv(const Experiment& experiment, const Outcome& outcome) {
    std::string text = "lab,gpu,plot,series,x,x_unit,y,y_unit,spread,kind\n";
    for (const ResultPlot& plot : outcome.plots) {
        for (const PlotSeries& series : plot.series) {
            for (const PlotPoint& point : series.points)
                text += fmt::format("{},{},{},{},{:.15g},{},{:.6g},{},{:.6g},{}\n", experiment.id,
                                    csv_field(outcome.gpu), csv_field(english(plot.title)),
                                    csv_field(english(series.name)), point.x, plot.x.unit, point.y,
                                    plot.y.unit, point.spread, name_of(series.kind));
        }
    }
    return text;
}

void print_outcome(const Experiment& experiment, const Outcome& outcome) {
    fmt::print("{}\n{}\n\n{}\n", experiment.title, experiment.question, outcome.gpu);
    fmt::print("{} ({}). {}\n\n", english(outcome.headline), name_of(outcome.kind), sentence_of(outcome));
    for (const ResultTable& table : outcome.tables) print_table(table, kind_of(table, outcome.kind));
    for (const ResultPlot& plot : outcome.plots) print_plot(plot);
    for (const Timeline& timeline : outcome.timelines) print_timeline(timeline);
    for (const QuotedFigure& figure : experiment.figures)
        fmt::print("{}: {} {} ({})\n", figure.what, figure.value, figure.unit, figure.source);
    for (const std::string& note : texts_of(outcome.notes)) fmt::print("note: {}\n", note);
    if (!outcome.complete) fmt::print("stopped: this is what was there\n");
}

}  // namespace ws
