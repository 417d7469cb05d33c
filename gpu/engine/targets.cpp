#include "gpu/engine/targets.h"

#include <algorithm>

#include "gpu/pipeline/versions.h"

namespace ws {

CodeTarget runnable_target(const std::vector<int>& architectures, ComputeCapability capability) {
    const auto above = std::upper_bound(architectures.begin(), architectures.end(), capability.number());
    if (above == architectures.begin()) return {};
    const int best = *std::prev(above);
    return {best, best != capability.number()};
}

CodeTarget nearest_target(const std::vector<int>& architectures, ComputeCapability capability) {
    if (architectures.empty()) return {};
    const CodeTarget runnable = runnable_target(architectures, capability);
    return {runnable.architecture ? runnable.architecture : architectures.front(), false};
}

CompileRequest compile_request(const StageRequest& stage, CodeTarget target) {
    CompileRequest request;
    request.name = stage.source->name;
    request.text = stage.source->text;
    request.entry = name_of(stage.stage);
    request.knobs = stage.knobs;
    request.architecture = target.architecture;
    request.to_ptx = target.to_ptx;
    request.register_cap = register_cap(stage.block.threads());
    return request;
}

std::vector<Settings> likely_next(const Settings& settings) {
    std::vector<Settings> list;
    for (const Stage stage : {Stage::blur, Stage::edge, Stage::gray}) {
        const Block now = settings.block(stage);
        for (const Block next : {Block{now.x, now.y * 2}, Block{now.x * 2, now.y}, Block{now.x, now.y / 2},
                                 Block{now.x / 2, now.y}, Block{now.x, now.y + 1}, Block{now.x, now.y - 1}}) {
            if (!next.valid()) continue;
            list.push_back(settings);
            list.back().block(stage) = next;
        }
    }
    for (const int step : {1, -1}) {
        for (const Version& version : versions()) {
            if (version.number == settings.version + step) list.push_back(with_version(settings, version));
        }
    }
    return list;
}

}  // namespace ws
