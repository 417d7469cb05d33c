#include "gpu/pipeline/requests.h"

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

std::array<StageRequest, 3> stage_requests(const Settings& settings, const KernelLookup& find) {
    const Version& version = version_numbered(settings.version);
    std::array<StageRequest, 3> requests;
    for (const Stage stage : kStages) {
        const KernelSource& source = find(version.kernels[index_of(stage)]);
        const Block block = settings.block(stage);
        requests[index_of(stage)] = {stage, &source, knob_values(source, settings, version, block), block};
    }
    return requests;
}

Settings with_version(Settings settings, const Version& version) {
    settings.version = version.number;
    settings.blocks = version.blocks;
    settings.knobs.clear();
    return settings;
}

double least_bytes(Stage stage, Extent picture) {
    const double read = stage == Stage::gray ? 4 : 1;  // RGBA, else one byte
    return (read + 1) * double(picture.pixels());
}

int register_cap(int threads) {
    constexpr int kRegisterFile = 65536;
    constexpr int kMostPerThread = 255;
    const int rounded = (threads + 127) / 128 * 128;  // a GPU counts whole warps on each of four schedulers
    const int cap = kRegisterFile / rounded / 8 * 8;
    return cap > kMostPerThread ? 0 : cap;
}

}  // namespace ws
