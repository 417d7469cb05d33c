#include "app/cli/file_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/file_run.h"
#include "app/cli/json_report.h"
#include "gpu/core/files.h"
#include "gpu/core/numbers.h"
#include "gpu/engine/sweep.h"

namespace ws {
namespace {

using Json = nlohmann::ordered_json;

struct Point {
    int at = 0;
    std::string problem;  // why there is no run
    std::optional<FileRun> run;
};

const Knob& knob_of(const Options& options, const KernelFile& file) {
    std::string names;
    for (const Knob& knob : file.knobs()) {
        if (knob.name == options.sweep.axes.front()) return knob;
        names += (names.empty() ? "" : ", ") + knob.name;
    }
    throw UsageError(
        fmt::format("'{}' is no knob of the file", options.sweep.axes.front()), "",
        names.empty() ? "a line '// knob: NAME = 10 in 0..32  meaning' makes one" : "choose one of " + names);
}

// What the compiler or the GPU does not take at one value is a point without figures.
Point run_point(const KernelFile& file, const std::string& name, int at) {
    Point point;
    point.at = at;
    try {
        point.run = file.run({{name, at}});
    } catch (const UsageError&) {
        throw;
    } catch (const Error& error) {
        point.problem = error.what();
    }
    return point;
}

struct Figures {
    double estimated_ms = 0, measured_ms = 0;  // 0: none
    std::uint64_t instructions = 0, sectors = 0, wavefronts = 0;
    std::string check;
};

Figures figures_of(const Point& point) {
    Figures made;
    if (!point.run) {
        made.check = point.problem.substr(0, point.problem.find('\n'));
        return made;
    }
    const SimtReport& report = point.run->report;
    const InstructionCounts& counts = report.counters.total;
    if (report.estimate) made.estimated_ms = report.estimate->ms;
    if (point.run->real.run) made.measured_ms = point.run->real.run->ms.median;
    made.instructions = counts.instructions;
    made.sectors = counts.global_load.sectors + counts.global_store.sectors;
    made.wavefronts = counts.shared_load.wavefronts + counts.shared_store.wavefronts;
    made.check = report.counters.findings.empty() ? "no finding" : report.counters.findings.front().message;
    return made;
}

std::string milliseconds_text(double ms) {
    return ms > 0 ? fmt::format("{:.5f}", ms) : "-";
}

void print_table(const std::vector<Point>& points, const std::string& axis, bool with_gpu) {
    fmt::print("{:>12}{:>16}{}{:>14}{:>14}{:>14}  check\n", axis, "estimated ms",
               with_gpu ? fmt::format("{:>14}", "measured ms") : "", "instructions", "sectors", "wavefronts");
    for (const Point& point : points) {
        const Figures at = figures_of(point);
        fmt::print("{:>12}{:>16}{}{:>14}{:>14}{:>14}  {}\n", point.at, milliseconds_text(at.estimated_ms),
                   with_gpu ? fmt::format("{:>14}", milliseconds_text(at.measured_ms)) : "", at.instructions,
                   at.sectors, at.wavefronts, at.check);
    }
}

std::string csv_of(const std::vector<Point>& points, const std::string& axis) {
    std::string text = axis + ",estimated_ms,measured_ms,instructions,sectors,wavefronts,check\n";
    for (const Point& point : points) {
        const Figures at = figures_of(point);
        text += fmt::format("{},{},{},{},{},{},{}\n", point.at, milliseconds_text(at.estimated_ms),
                            milliseconds_text(at.measured_ms), at.instructions, at.sectors, at.wavefronts,
                            csv_field(at.check));
    }
    return text;
}

Json json_of(const KernelFile& file, const std::vector<Point>& points) {
    Json list = Json::array();
    for (const Point& point : points) {
        Json row{{"at", point.at}};
        if (point.run)
            row["run"] = file_json(file, *point.run);
        else
            row["problem"] = point.problem;
        list.push_back(std::move(row));
    }
    return list;
}

}  // namespace

int sweep_file(const Options& options, const Nvrtc& nvrtc) {
    const KernelFile file(options, nvrtc);
    const Knob& knob = knob_of(options, file);
    std::vector<Point> points;
    int status = 0;
    for (const std::string& place : places_of(knob)) {
        points.push_back(run_point(file, knob.name, parse_number<int>(place).value_or(knob.value)));
        if (points.back().run) status = std::max(status, points.back().run->status);
        if (points.back().run && points.back().run->report.end == RunEnd::interrupted) break;
    }
    if (options.json)
        print_json({{"file", options.simt.what}, {"axis", knob.name}, {"points", json_of(file, points)}});
    else
        print_table(points, knob.name, file.has_gpu());
    if (!options.csv.empty()) {
        write_file(options.csv, csv_of(points, knob.name));
        if (!options.json) fmt::print("wrote {}\n", options.csv.string());
    }
    return status;
}

}  // namespace ws
