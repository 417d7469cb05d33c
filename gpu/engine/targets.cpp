#include "gpu/engine/targets.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/pipeline/versions.h"

namespace ws {
namespace {

// The next larger (step 1) or smaller (step -1) side of a slider; 0 beyond its ends.
int next_side(int side, int step) {
    int found = 0;
    for (const int candidate : kBlockSides) {
        if (step > 0 && candidate > side && found == 0) found = candidate;
        if (step < 0 && candidate < side) found = candidate;
    }
    return found;
}

// Of a file without headers the hash of its text.
std::uint64_t content_of(const std::string& text, const std::vector<KernelHeader>& headers) {
    std::string all = text;
    for (const KernelHeader& header : headers)
        all.append(1, '\0').append(header.name).append(1, '\0').append(header.text);
    return content_hash(all.data(), all.size());
}

}  // namespace

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
    request.headers = stage.source->headers;
    request.entry = entry_of(stage.stage);
    request.knobs = stage.knobs;
    request.architecture = target.architecture;
    request.to_ptx = target.to_ptx;
    request.register_cap = register_cap(stage.block.threads());
    return request;
}

KernelKey kernel_key(const CompileRequest& request, const Nvrtc& compiler) {
    return {content_of(request.text, request.headers),
            request.entry,
            request.knobs,
            request.architecture,
            request.to_ptx,
            request.register_cap,
            compiler.version()};
}

std::string why_not(const KernelSource& source, ComputeCapability capability) {
    return fmt::format("{}.cu needs compute capability {} ({}); this GPU has {}", source.name,
                       source.needs.text(), source.needs_why, capability.text());
}

std::vector<Settings> likely_next(const Settings& settings) {
    std::vector<Settings> list;
    for (const int step : {1, -1}) {
        for (const Version& version : versions()) {
            if (version.number == settings.version + step) list.push_back(with_version(settings, version));
        }
    }
    for (const Stage stage : {Stage::fused, Stage::blur, Stage::edge, Stage::gray}) {
        const Block now = settings.block(stage);
        const auto add = [&](Block next) {
            if (!next.valid()) return;
            list.push_back(settings);
            list.back().block(stage) = next;
        };
        // One step of either slider, up and down.
        for (const int side : {next_side(now.x, 1), next_side(now.x, -1)}) add({side, now.y});
        for (const int side : {next_side(now.y, 1), next_side(now.y, -1)}) add({now.x, side});
    }
    return list;
}

}  // namespace ws
