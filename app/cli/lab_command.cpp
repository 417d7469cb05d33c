#include "app/cli/lab_command.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/json_report.h"
#include "app/cli/sweep.h"
#include "gpu/core/files.h"
#include "gpu/labs/labs.h"

namespace ws {
namespace {

using Json = nlohmann::ordered_json;

void list_labs(const Options& options) {
    if (options.json) {
        Json list = Json::array();
        for (const Lab* lab : labs()) list.push_back(lab_json(*lab));
        print_json(list);
        return;
    }
    for (const Lab* lab : labs())
        fmt::print("{:<12}{}, V{} to V{}\n            {}\n", lab->id, lab->title,
                   lab->versions.front().number, lab->versions.back().number, lab->question);
}

void describe(const Options& options) {
    const Lab& lab = *options.lab;
    if (options.json) {
        print_json(lab_json(lab));
        return;
    }
    fmt::print("{}\n{}\n\n", lab.title, lab.question);
    versions_command(options);
    std::string views;
    for (const View& view : lab.views) views += (views.empty() ? "" : ", ") + std::string(view.name);
    fmt::print("\nto show (--show): {}\n", views);
    for (const PublishedFigure& figure : lab.figures)
        fmt::print("V{:<3}{} {} at {} x {} on a {} ({})\n", figure.version, figure.value, figure.unit,
                   figure.size.width, figure.size.height, figure.gpu, figure.source);
}

// "-" where there is no figure.
std::string number(double value, int digits) {
    return value > 0 ? fmt::format("{:.{}f}", value, digits) : "-";
}

void print_sweep(const std::vector<SweepPoint>& points, const std::string& axis, const Lab& lab) {
    fmt::print("{:<5}{:>14}{:>14}{:>10}{}  {:<10} {}\n", "V", axis, "ms", "+-",
               lab.bandwidth ? "      GB/s" : "", "kind", "check");
    for (const SweepPoint& point : points) {
        fmt::print("V{:<4}{:>14}{:>14}{:>10}{}  {:<10} {}\n", point.version, point.at, number(point.ms, 5),
                   number(point.spread, 5), lab.bandwidth ? fmt::format("{:>10}", number(point.gb_s, 1)) : "",
                   point.kind, point.problem.empty() ? point.check : point.problem);
    }
}

Json json_of(const std::vector<SweepPoint>& points) {
    Json list = Json::array();
    for (const SweepPoint& point : points) {
        Json row{{"version", point.version}, {"at", point.at}, {"kind", point.kind}};
        row["ms"] = point.ms > 0 ? Json(point.ms) : Json(nullptr);
        row["spread_ms"] = point.spread > 0 ? Json(point.spread) : Json(nullptr);
        row["gb_s"] = point.gb_s > 0 ? Json(point.gb_s) : Json(nullptr);
        row["occupancy"] = point.occupancy > 0 ? Json(point.occupancy) : Json(nullptr);
        row["check"] = point.check;
        if (!point.problem.empty()) row["problem"] = point.problem;
        list.push_back(std::move(row));
    }
    return list;
}

// A field of a CSV file: what has a comma or a quote stands in quotes.
std::string field(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

std::string csv_of(const std::vector<SweepPoint>& points, const Sweep& sweep) {
    std::string text =
        fmt::format("lab,version,{},gpu,ms,spread_ms,gb_s,occupancy_percent,kind,check\n", sweep.axis);
    for (const SweepPoint& point : points)
        text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", sweep.work.lab->id, point.version,
                            field(point.at), field(point.gpu), number(point.ms, 6), number(point.spread, 6),
                            number(point.gb_s, 3), number(point.occupancy, 1), point.kind,
                            field(point.problem.empty() ? point.check : point.problem));
    return text;
}

int run_sweep_command(const Options& options) {
    const Sweep sweep = plan_sweep(options);
    const std::vector<SweepPoint> points = run_sweep(options, sweep);
    if (options.json) {
        print_json({{"lab", sweep.work.lab->id}, {"axis", sweep.axis}, {"points", json_of(points)}});
    } else {
        print_sweep(points, sweep.axis, *sweep.work.lab);
    }
    if (!options.csv.empty()) {
        write_file(options.csv, csv_of(points, sweep));
        if (!options.json) fmt::print("wrote {}\n", options.csv.string());
    }
    for (const SweepPoint& point : points) {
        if (point.wrong) return 1;
    }
    return 0;
}

}  // namespace

int lab_command(const Options& options) {
    if (!options.csv.empty() && options.sweep.empty())
        throw UsageError("--csv is the table of a sweep", "", "add --sweep AXIS");
    if (options.lists_labs) {
        list_labs(options);
    } else if (!options.sweep.empty()) {
        return run_sweep_command(options);
    } else if (options.version) {
        run_command(options);
    } else {
        describe(options);
    }
    return 0;
}

}  // namespace ws
