#include "app/cli/sweep_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/json_report.h"
#include "app/cli/long_run.h"
#include "gpu/core/files.h"
#include "gpu/engine/engine.h"
#include "gpu/engine/sweep.h"
#include "gpu/records/record_file.h"

namespace ws {
namespace {

using Json = nlohmann::ordered_json;

SweepPlan plan_of(const Options& options, const KernelLibrary& library) {
    SweepPlan plan;
    plan.base = work_of(options);
    const Lab& lab = *plan.base.lab;
    if (lab.views[std::size_t(plan.base.view)].ways.empty())
        throw UsageError("the view needs no run", "", "choose another one with --show");
    plan.versions = options.sweep.versions;
    if (options.version) plan.versions.push_back(*options.version);
    if (plan.versions.empty()) {
        for (const Version& version : lab.versions) plan.versions.push_back(version.number);
    }
    for (const int number : plan.versions) (void)version_of(lab, number);
    const GpuTable gpus;
    for (const std::string& name : options.sweep.gpus) plan.gpus.push_back(gpus.named(name).name);
    if (!plan.gpus.empty()) plan.base.device = DeviceKind::simt;
    if (lab.takes_picture()) {
        plan.picture = load_picture(options.image);
        plan.picture_name = picture_label(options.image);
    }
    const Extent size = plan.picture ? plan.picture->size : Extent{};
    for (const std::string& name : options.sweep.axes)
        plan.axes.push_back(sweep_axis(name, plan.base, plan.versions, size, library));
    // Sizes change slowest, whatever the order in which axes were named.
    std::stable_partition(plan.axes.begin(), plan.axes.end(),
                          [](const SweepAxis& axis) { return axis.name == "size"; });
    return plan;
}

// "-" where there is no figure.
std::string number(double value, int digits) {
    return value > 0 ? fmt::format("{:.{}f}", value, digits) : "-";
}
const std::string& outcome_of(const Record& record) {
    return record.refused.empty() ? record.check : record.refused;
}

// The figure of the lab beside the time.
std::string figure_of(const SweepPlan& plan, const SweepPoint& point) {
    if (plan.base.lab->bandwidth) return fmt::format("{:>10}", number(point.gb_s.value_or(0), 1));
    if (!approximates(*plan.base.lab)) return "";
    if (!point.accuracy) return fmt::format("{:>10}{:>10}", "-", "-");
    return fmt::format("{:>10.4g}{:>10.3g}", point.accuracy->largest_ulps, point.accuracy->mean_ulps);
}

void print_head(const SweepPlan& plan) {
    std::string line = fmt::format("{:<5}", "V");
    if (plan.gpus.size() > 1) line += fmt::format("{:>14}", "GPU");
    for (const SweepAxis& axis : plan.axes) line += fmt::format("{:>14}", axis.name);
    fmt::print("{}{:>14}{:>10}{}{:>6}  {:<10} {}\n", line, "ms", "+-",
               plan.base.lab->bandwidth       ? "      GB/s"
               : approximates(*plan.base.lab) ? "  ulp, max      mean"
                                              : "",
               "occ%", "kind", "check");
}

void print_point(const SweepPlan& plan, const SweepPoint& point) {
    const Record& record = point.record;
    std::string line = fmt::format("V{:<4}", record.key.version);
    if (plan.gpus.size() > 1) line += fmt::format("{:>14}", record.place.gpu);
    for (const std::string& at : point.at) line += fmt::format("{:>14}", at);
    fmt::print("{}{:>14}{:>10}{}{:>6}  {:<10} {}\n", line, number(record.total_ms.median, 5),
               number(record.total_ms.spread(), 5), figure_of(plan, point), number(record.occupancy, 1),
               name_of(record.place.kind), outcome_of(record));
}

Json json_of(const SweepPlan& plan, const SweepPoint& point) {
    const Record& record = point.record;
    const auto or_null = [](double value) { return value > 0 ? Json(value) : Json(nullptr); };
    Json row{{"version", record.key.version}};
    if (plan.axes.size() == 1) {
        row["at"] = point.at.front();
    } else {
        for (std::size_t i = 0; i < plan.axes.size(); ++i) row["at"][plan.axes[i].name] = point.at[i];
    }
    row["gpu"] = record.place.gpu;
    row["kind"] = name_of(record.place.kind);
    row["ms"] = or_null(record.total_ms.median);
    row["spread_ms"] = or_null(record.total_ms.spread());
    row["gb_s"] = or_null(point.gb_s.value_or(0));
    row["occupancy"] = or_null(record.occupancy);
    row["check"] = record.check;
    if (point.accuracy) row["errors"] = errors_json(*point.accuracy);
    if (!record.refused.empty()) row["problem"] = record.refused;
    return row;
}

std::string csv_of(const SweepPlan& plan, const std::vector<SweepPoint>& points) {
    std::string text = "lab,version,";
    for (const SweepAxis& axis : plan.axes) text += axis.name + ",";
    const bool errors = approximates(*plan.base.lab);
    text += fmt::format("gpu,ms,spread_ms,gb_s,{}occupancy_percent,kind,check\n",
                        errors ? "largest_ulps,mean_ulps," : "");
    for (const SweepPoint& point : points) {
        const Record& record = point.record;
        text += fmt::format("{},{},", record.key.lab, record.key.version);
        for (const std::string& at : point.at) text += csv_field(at) + ",";
        const std::string ulps =
            !errors          ? ""
            : point.accuracy ? fmt::format("{},{},", point.accuracy->largest_ulps, point.accuracy->mean_ulps)
                             : "-,-,";
        text += fmt::format("{},{},{},{},{}{},{},{}\n", csv_field(record.place.gpu),
                            number(record.total_ms.median, 6), number(record.total_ms.spread(), 6),
                            number(point.gb_s.value_or(0), 3), ulps, number(record.occupancy, 1),
                            name_of(record.place.kind), csv_field(outcome_of(record)));
    }
    return text;
}

std::vector<SweepPoint> run(const Options& options, const SweepPlan& plan, const KernelLibrary& library) {
    const EngineOptions engine_settings = engine_options(options);
    Engine engine(engine_settings);
    std::optional<RecordFile> file;
    std::vector<Record> known;
    if (!options.sweep.records.empty()) {
        file.emplace(options.sweep.records);
        known = file->earlier().records;
        for (const BadLine& bad : file->earlier().bad)
            fmt::print(stderr, "warpscope: note: {}, line {} is left out: {}\n",
                       options.sweep.records.string(), bad.line, bad.why);
    }
    LongRun watch(sweep_items(plan, library).size());
    std::vector<SweepPoint> points;
    bool headed = options.json;
    int again = 0;
    SweepOptions settings;
    settings.samples = options.repeat;
    settings.errors = true;
    settings.known = known;
    settings.compile_ahead = engine_settings.cache_folder;
    settings.stopped = [&] { return bool(watch.cancelled()); };
    settings.took = [&](SweepPoint point, int, int) {
        ++watch.blocks_done();
        again += point.known ? 1 : 0;
        if (file && !point.known) file->append(point.record);
        if (!std::exchange(headed, true)) print_head(plan);
        if (!options.json) print_point(plan, point);
        points.push_back(std::move(point));
    };
    run_sweep(engine, {&plan, 1}, library, settings);
    if (file && again > 0) fmt::print(stderr, "warpscope: {} points were recorded earlier\n", again);
    return points;
}

}  // namespace

int sweep_command(const Options& options) {
    const KernelLibrary library(options.kernel_folder);
    const SweepPlan plan = plan_of(options, library);
    const std::vector<SweepPoint> points = run(options, plan, library);
    if (options.json) {
        Json list = Json::array();
        for (const SweepPoint& point : points) list.push_back(json_of(plan, point));
        Json axes = Json::array();
        for (const SweepAxis& axis : plan.axes) axes.push_back(axis.name);
        print_json({{"lab", plan.base.lab->id},
                    {"axis", plan.axes.size() == 1 ? axes.front() : axes},
                    {"points", std::move(list)}});
    }
    if (!options.csv.empty()) {
        write_file(options.csv, csv_of(plan, points));
        if (!options.json) fmt::print("wrote {}\n", options.csv.string());
    }
    for (const SweepPoint& point : points) {
        if (point.record.wrong) return 1;
    }
    return 0;
}

}  // namespace ws
