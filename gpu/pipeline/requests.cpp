#include "gpu/pipeline/requests.h"

#include <algorithm>

#include "gpu/pipeline/versions.h"

namespace ws {
namespace {

KnobValues knob_values(const KernelSource& source, const Settings& settings, const Version& version,
                       Block block) {
    KnobValues values;
    for (const Knob& knob : source.knobs) {
        int value = knob.value;
        if (const auto own = version.knobs.find(knob.name); own != version.knobs.end()) value = own->second;
        if (const auto chosen = settings.knobs.find(knob.name);
            chosen != settings.knobs.end() && chosen->second >= knob.low && chosen->second <= knob.high) {
            value = chosen->second;
        }
        values[knob.name] = value;
    }
    values["BLOCK_X"] = block.x;
    values["BLOCK_Y"] = block.y;
    return values;
}

}  // namespace

std::vector<StageRequest> stage_requests(const Settings& settings, const KernelLookup& find) {
    const Version& version = version_numbered(settings.version);
    std::vector<StageRequest> requests;
    for (const Stage stage : kStages) {
        if (version.kernels[index_of(stage)].empty()) continue;
        const KernelSource& source = find(version.kernels[index_of(stage)]);
        const Block block = fitted(source, settings.block(stage));
        const KnobValues knobs = knob_values(source, settings, version, block);
        requests.push_back({stage, &source, knobs, block, tiling_of(source, knobs, block)});
    }
    return requests;
}

const StageRequest* request_of(const std::vector<StageRequest>& requests, Stage stage) {
    const auto found = std::find_if(requests.begin(), requests.end(),
                                    [&](const StageRequest& request) { return request.stage == stage; });
    return found == requests.end() ? nullptr : &*found;
}

bool runs_stage(const Version& version, View view, bool blur_first, Stage stage) {
    const bool whole = !version.kernels[index_of(Stage::fused)].empty() && view == View::edge && blur_first;
    return whole ? stage == Stage::fused : needs_stage(view, blur_first, stage);
}

Settings with_version(Settings settings, const Version& version) {
    settings.version = version.number;
    settings.blocks = version.blocks;
    settings.knobs.clear();
    return settings;
}

bool can_run(const KernelSource& source, ComputeCapability capability) {
    return source.needs <= capability;
}

Launch launch_of(const Version& version, Stage stage, std::shared_ptr<const CompiledKernel> kernel,
                 Block block, const Tiling& tiling, Extent picture, int multiprocessors) {
    const bool about = stage == Stage::blur || stage == Stage::fused;
    Launch launch{.stage = stage,
                  .kernel = std::move(kernel),
                  .block = block,
                  .tiling = tiling,
                  .multiprocessors = multiprocessors,
                  .cache = about ? version.cache : CachePreference::none,
                  .banks = about ? version.banks : BankWidth::standard};
    cover(launch, picture);
    return launch;
}

double least_bytes(Stage stage, Extent picture) {
    const double read = reads_rgba(stage) ? 4 : 1;
    return (read + 1) * double(picture.pixels());
}

int register_cap(int threads, const GpuLimits& limits) {
    constexpr int kMostInAnyCode = 255;
    // A GPU counts whole warps, from 3.0 on for each of four schedulers.
    const int lot = limits.capability.major >= 3 ? 128 : 32 * std::max(1, limits.warp_granularity);
    const int rounded = (threads + lot - 1) / lot * lot;
    const int cap = limits.registers_per_block / rounded / 8 * 8;
    return cap >= std::min(kMostInAnyCode, limits.registers_per_thread) ? 0 : cap;
}

int register_cap(int threads) {
    GpuLimits limits;
    limits.capability = {5, 0};
    limits.registers_per_block = 65536;
    limits.registers_per_thread = 255;
    return register_cap(threads, limits);
}

}  // namespace ws
