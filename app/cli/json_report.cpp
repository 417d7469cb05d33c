#include "app/cli/json_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

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

Json json_of(const Statistics& statistics) {
    if (statistics.samples == 0) return nullptr;
    return {{"median", statistics.median}, {"spread", statistics.spread()}, {"samples", statistics.samples}};
}

Json run_json(const Snapshot& snapshot) {
    Json json{{"version", snapshot.settings.version},
              {"device", {{"kind", name_of(snapshot.device.kind)}, {"name", snapshot.device.name}}},
              {"image",
               {{"name", snapshot.picture_name},
                {"width", snapshot.picture.width},
                {"height", snapshot.picture.height}}},
              {"show", name_of(snapshot.settings.view)},
              {"blur_first", snapshot.settings.blur_first}};
    for (const StageSnapshot& stage : snapshot.stages) {
        if (!stage.exists) continue;
        json["blocks"][std::string(name_of(stage.stage))] = block_json(stage.block);
        json["times_ms"][std::string(name_of(stage.stage))] =
            stage.runs ? json_of(stage.time_ms) : Json(nullptr);
    }
    json["times_ms"]["total"] = json_of(snapshot.total_ms);
    if (snapshot.fused_ms.samples > 0) json["times_ms"]["one_pass"] = json_of(snapshot.fused_ms);
    if (snapshot.simulation) {
        for (const StageSnapshot& stage : snapshot.stages) {
            if (!stage.exists) continue;
            json["estimated_ms"][std::string(name_of(stage.stage))] =
                stage.runs && stage.estimate() ? Json(stage.estimate()->ms) : Json(nullptr);
        }
        json["simulation_ms"] = snapshot.simulation->milliseconds;
        const Baseline& before = main_stage(snapshot).baseline;
        if (before.result && before.result->estimate)
            json["baseline"] = {{"version", before.version},
                                {"estimated_ms", before.result->estimate->ms},
                                {"verdict", before.verdict}};
    }
    const StageSnapshot& stage = main_stage(snapshot);
    if (stage.occupancy) {
        json["occupancy"] = {{"stage", name_of(stage.stage)},
                             {"gpu", snapshot.target.name},
                             {"percent", stage.occupancy->percent},
                             {"active_warps", stage.occupancy->active_warps},
                             {"active_blocks", stage.occupancy->active_blocks},
                             {"limiters", limiters(*stage.occupancy)}};
    } else {
        json["occupancy"] = nullptr;
    }
    json["check"] = snapshot.check.message;
    return json;
}

Json occupancy_json(const Snapshot& snapshot, Stage which) {
    const StageSnapshot& stage = snapshot.stages[index_of(which)];
    const Occupancy& occupancy = stage.occupancy.value();
    return {{"version", snapshot.settings.version},
            {"stage", name_of(which)},
            {"gpu", snapshot.target.name},
            {"compute_capability", occupancy.limits.capability.text()},
            {"block", block_json(stage.block)},
            {"threads", occupancy.resources.threads},
            {"registers", occupancy.resources.registers},
            {"shared_bytes", occupancy.resources.shared_bytes},
            {"active_blocks", occupancy.active_blocks},
            {"active_warps", occupancy.active_warps},
            {"percent", occupancy.percent},
            {"limiters", limiters(occupancy)},
            {"limited_by", occupancy.limited_by},
            {"next_step", stage.next_step},
            {"note", snapshot.target_note}};
}

Json versions_json(const Snapshot& snapshot) {
    Json list = Json::array();
    for (const Version& version : snapshot.versions) {
        Json entry{{"version", version.number},
                   {"title", version.title},
                   {"changed", version.changed},
                   {"why", version.why}};
        for (const Stage stage : kStages) {
            if (version.kernels[index_of(stage)].empty()) continue;
            entry["kernels"][std::string(name_of(stage))] = version.kernels[index_of(stage)];
            entry["blocks"][std::string(name_of(stage))] = block_json(version.blocks[index_of(stage)]);
        }
        list.push_back(entry);
    }
    return list;
}

Json device_json(const DeviceFacts& device) {
    Json facts = Json::object();
    for (const Fact& fact : device.facts) facts[fact.label] = fact.value;
    return {{"kind", name_of(device.kind)}, {"name", device.name}, {"facts", facts}};
}

}  // namespace ws
