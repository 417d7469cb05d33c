#include "gpu/core/kernel.h"

#include <algorithm>

namespace ws {
namespace {

int pixels_of(const TileSide& side, const KnobValues& knobs) {
    int product = side.factor;
    for (const std::string& name : side.knobs) {
        const auto found = knobs.find(name);
        if (found != knobs.end()) product *= found->second;
    }
    return std::max(1, product);
}

const Knob* side_of(const KernelSource& source, std::string_view name) {
    for (const Knob& knob : source.knobs) {
        if (knob.name == name) return &knob;
    }
    return nullptr;
}

int within(const Knob* range, int value) {
    return range ? std::clamp(value, range->low, range->high) : value;
}

std::string range_text(const Knob* range) {
    if (!range) return "any";
    if (range->low == range->high) return std::to_string(range->low);
    return std::to_string(range->low) + " to " + std::to_string(range->high);
}

}  // namespace

Extent tile_of(const KernelSource& source, const KnobValues& knobs) {
    return {pixels_of(source.across, knobs), pixels_of(source.down, knobs)};
}

Block fitted(const KernelSource& source, Block block) {
    block.x = within(side_of(source, "BLOCK_X"), block.x);
    block.y = std::min(within(side_of(source, "BLOCK_Y"), block.y), kMaxThreadsPerBlock / block.x);
    return block;
}

std::string blocks_text(const KernelSource& source) {
    return range_text(side_of(source, "BLOCK_X")) + " x " + range_text(side_of(source, "BLOCK_Y"));
}

int registers_within_cap(const CompileReport& report) {
    return report.register_cap > 0 ? std::min(report.registers, report.register_cap) : report.registers;
}

}  // namespace ws
