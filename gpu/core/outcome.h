#pragma once
// What an experiment finds out, ready to be written, drawn or compared: plots, tables and timelines of
// figures, each with the kind that says how it came about.

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gpu/core/figures.h"
#include "gpu/core/message.h"

namespace ws {

struct PlotAxis {
    Message title;
    std::string unit;  // "GB/s", "bytes"
    bool logarithmic = false;
};
struct PlotPoint {
    double x = 0;
    double y = 0;
    double spread = 0;   // between the quarters of the samples; 0 of what was not measured
    std::string name{};  // beside it, where there is room
};
struct PlotSeries {
    Message name;
    Kind kind = Kind::measured;
    std::vector<PlotPoint> points;  // ascending in x
    bool limit = false;             // no result, but what it cannot exceed
    bool scattered = false;         // points that no line joins
    bool chosen = false;            // the one that is looked at; in a plot without one, what reaches most
};
struct ResultPlot {
    Message title;
    PlotAxis x, y;
    std::vector<PlotSeries> series;
};

struct TableFigure {
    double value = 0;
    Kind kind = Kind::measured;
    double spread = 0;
    int samples = 0;  // of what was measured
};
using TableCell = std::variant<Message, TableFigure>;
struct TableColumn {
    Message title;
    std::string unit;  // of its figures
};
struct ResultTable {
    Message title;
    std::vector<TableColumn> columns;
    std::vector<std::vector<TableCell>> rows;  // each as long as the columns
};

// That of its figures; `otherwise` where it has none.
[[nodiscard]] inline Kind kind_of(const ResultTable& table, Kind otherwise) {
    for (const auto& row : table.rows) {
        for (const TableCell& cell : row) {
            if (const auto* figure = std::get_if<TableFigure>(&cell)) return figure->kind;
        }
    }
    return otherwise;
}

struct TimelineBar {
    int lane = 0;
    double begin_ms = 0;
    double end_ms = 0;
    std::string name;
    int part = 0;  // in the timeline's list, where it has one
};
// A time before which it cannot end.
struct TimelineLimit {
    Message name;
    double at_ms = 0;
};
struct Timeline {
    Message title;
    Kind kind = Kind::measured;
    std::vector<Message> lanes;
    std::vector<TimelineBar> bars;
    std::vector<Message> parts{};  // what bars stand for, where they differ in that; at most four
    std::vector<TimelineLimit> limits{};
    double least_ms = 0;  // its axis goes so far at least: as another's that it is compared with
};
// Where its axis ends.
[[nodiscard]] inline double end_of(const Timeline& timeline) {
    double last = timeline.least_ms;
    for (const TimelineBar& bar : timeline.bars) last = std::max(last, bar.end_ms);
    return last;
}

struct Outcome {
    std::string gpu;                 // that it was measured on, or that is modelled
    Message headline;                // the figure that matters, in a few words
    std::vector<Message> sentences;  // what it means
    Kind kind = Kind::measured;
    std::vector<ResultPlot> plots;
    std::vector<ResultTable> tables;
    std::vector<Timeline> timelines;
    std::vector<Message> notes;
    bool wrong = false;    // a check has found that a result is not what it has to be
    bool complete = true;  // false: it was stopped, and this is what was there
};

}  // namespace ws
