#include "app/cli/json_report.h"

#include "app/cli/commands.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gpu/engine/run_to_end.h"

namespace ws {
namespace {

using Json = nlohmann::ordered_json;

Json limit(int blocks) {
    return blocks == kNoLimit ? Json(nullptr) : Json(blocks);
}

Json limiters(const Occupancy& occupancy) {
    return {{"blocks", limit(occupancy.by_blocks)},
            {"warps", limit(occupancy.by_warps)},
            {"registers", limit(occupancy.by_registers)},
            {"shared", limit(occupancy.by_shared)}};
}

Json block_json(Block block) {
    return {{"x", block.x}, {"y", block.y}};
}

}  // namespace

void print_json(const Json& json) {
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

Json json_of(const Statistics& statistics) {
    if (statistics.samples == 0) return nullptr;
    return {{"median", statistics.median}, {"spread", statistics.spread()}, {"samples", statistics.samples}};
}

Json running_device_json(const DeviceFacts& device) {
    Json json{{"kind", name_of(device.kind)}, {"name", device.name}};
    if (device.kind != DeviceKind::cuda) return json;
    json["number"] = device.place.number;
    json["uuid"] = device.place.uuid;
    json["pci_address"] = device.place.pci_address;
    return json;
}

Json run_json(const Snapshot& snapshot) {
    const Work& work = snapshot.work;
    const View& view = view_of(snapshot);
    Json json{
        {"lab", work.lab->id}, {"version", work.version}, {"device", running_device_json(snapshot.device)}};
    if (work.lab->takes_picture())
        json["image"] = {{"name", snapshot.input_name},
                         {"width", snapshot.problem.size.width},
                         {"height", snapshot.problem.size.height}};
    else
        json["size"] = {{"width", snapshot.problem.size.width}, {"height", snapshot.problem.size.height}};
    json["show"] = view.base.empty() ? view.name : view.base;
    // Of views that can leave a step out, whether this one does: "blur_first".
    for (const View& other : work.lab->views) {
        if (!other.base.empty()) json[std::string(other.omits) + "_first"] = view.omits != other.omits;
    }
    for (const StepSnapshot& step : snapshot.steps) {
        if (!step.exists) continue;
        json["blocks"][std::string(step.name)] = block_json(step.shape.block);
        json["times_ms"][std::string(step.name)] = step.runs ? json_of(step.times.ms) : Json(nullptr);
    }
    json["times_ms"]["total"] = json_of(snapshot.times.total_ms);
    if (snapshot.times.one_pass_ms.samples > 0)
        json["times_ms"]["one_pass"] = json_of(snapshot.times.one_pass_ms);
    if (snapshot.run.progress) {
        for (const StepSnapshot& step : snapshot.steps) {
            if (!step.exists) continue;
            json["estimated_ms"][std::string(step.name)] =
                step.runs && step.estimate() ? Json(step.estimate()->ms) : Json(nullptr);
        }
        json["simulation_ms"] = snapshot.run.progress->milliseconds;
        const Baseline& before = main_step(snapshot).counts.baseline;
        if (before.result && before.result->estimate)
            json["baseline"] = {{"version", before.version},
                                {"estimated_ms", before.result->estimate->ms},
                                {"verdict", before.verdict}};
    }
    if (const std::optional<double> rate = bandwidth_gb_s(snapshot))
        json[snapshot.run.progress ? "estimated_gb_s" : "gb_s"] = *rate;
    if (const std::optional<ArithmeticRate> rate = arithmetic_rate(snapshot)) {
        json[snapshot.run.progress ? "estimated_gflop_s" : "gflop_s"] = rate->gflop_s;
        json["percent_of_fp32_peak"] =
            rate->percent_of_peak > 0 ? Json(rate->percent_of_peak) : Json(nullptr);
    }
    if (const std::optional<double> rate = operations_per_clock(snapshot))
        json[snapshot.run.progress ? "estimated_operations_per_clock" : "operations_per_clock"] = *rate;
    const StepSnapshot& step = main_step(snapshot);
    if (step.occupancy.now) {
        json["occupancy"] = {{"stage", step.name},
                             {"gpu", snapshot.target.gpu.name},
                             {"percent", step.occupancy.now->percent},
                             {"active_warps", step.occupancy.now->active_warps},
                             {"active_blocks", step.occupancy.now->active_blocks},
                             {"limiters", limiters(*step.occupancy.now)}};
    } else {
        json["occupancy"] = nullptr;
    }
    json["check"] = english(snapshot.result.check.message);
    if (const std::optional<Accuracy>& accuracy = snapshot.result.check.accuracy)
        json["errors"] = errors_json(*accuracy);
    return json;
}

Json errors_json(const Accuracy& accuracy) {
    return {{"largest_ulps", accuracy.largest_ulps},
            {"at", accuracy.at},
            {"mean_ulps", accuracy.mean_ulps},
            {"without_bound", accuracy.unstated}};
}

Json occupancy_json(const Snapshot& snapshot, int which) {
    const StepSnapshot& step = snapshot.steps[std::size_t(which)];
    const Occupancy& occupancy = step.occupancy.now.value();
    const CodeFacts& code = step.built.machine_code->report.code;
    return {{"lab", snapshot.work.lab->id},
            {"version", snapshot.work.version},
            {"stage", step.name},
            {"gpu", snapshot.target.gpu.name},
            {"compute_capability", occupancy.limits.capability.text()},
            {"block", block_json(step.shape.block)},
            {"threads", occupancy.resources.threads},
            {"registers", occupancy.resources.registers},
            {"shared_bytes", occupancy.resources.shared_bytes},
            {"spill_store_bytes", code.spill_store_bytes},
            {"spill_load_bytes", code.spill_load_bytes},
            {"active_blocks", occupancy.active_blocks},
            {"active_warps", occupancy.active_warps},
            {"percent", occupancy.percent},
            {"limiters", limiters(occupancy)},
            {"limited_by", occupancy.limited_by},
            {"next_step", english(step.occupancy.next_step)},
            {"note", snapshot.target.note}};
}

Json versions_json(const Lab& lab) {
    Json list = Json::array();
    for (const Version& version : lab.versions) {
        Json entry{{"version", version.number},
                   {"title", version.title},
                   {"changed", version.changed},
                   {"why", version.why}};
        for (std::size_t i = 0; i < version.steps.size(); ++i) {
            const StepKernel& step = version.steps[i];
            if (step.kernel.empty()) continue;
            entry["kernels"][std::string(lab.steps[i].name)] = step.kernel;
            entry["blocks"][std::string(lab.steps[i].name)] = block_json(step.block);
        }
        list.push_back(entry);
    }
    return list;
}

Json lab_json(const Lab& lab) {
    Json json{{"id", lab.id},
              {"title", lab.title},
              {"question", lab.question},
              {"takes_picture", lab.takes_picture()}};
    json["steps"] = json["views"] = json["sizes"] = json["figures"] = Json::array();
    for (const Step& step : lab.steps) json["steps"].push_back(step.name);
    for (const View& view : lab.views) json["views"].push_back(view.name);
    for (const Extent size : lab.sizes.swept)
        json["sizes"].push_back({{"width", size.width}, {"height", size.height}});
    for (const PublishedFigure& figure : lab.figures)
        json["figures"].push_back({{"version", figure.version},
                                   {"knobs", figure.knobs},
                                   {"gpu", figure.gpu},
                                   {"width", figure.size.width},
                                   {"height", figure.size.height},
                                   {"value", figure.value},
                                   {"unit", unit_of(figure.quantity)},
                                   {"quantity", name_of(figure.quantity)},
                                   {"source", figure.source}});
    json["versions"] = versions_json(lab);
    return json;
}

Json device_json(const DeviceFacts& device) {
    Json facts = Json::object();
    for (const Fact& fact : device.facts) facts[fact.label] = fact.value;
    Json json = running_device_json(device);
    json["facts"] = facts;
    return json;
}

}  // namespace ws
