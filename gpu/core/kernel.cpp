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

int within(const Knob* range, int value) {
    return range ? std::clamp(value, range->low, range->high) : value;
}

std::string range_text(const Knob* range) {
    if (!range) return "any";
    if (range->low == range->high) return std::to_string(range->low);
    return std::to_string(range->low) + " to " + std::to_string(range->high);
}

}  // namespace

const Knob* find_knob(const KernelSource& source, std::string_view name) {
    for (const Knob& knob : source.knobs) {
        if (knob.name == name) return &knob;
    }
    return nullptr;
}

Tiling tiling_of(const KernelSource& source, const KnobValues& knobs, Block block) {
    Tiling tiling{{pixels_of(source.across, knobs), pixels_of(source.down, knobs)},
                  source.uneven_across,
                  0,
                  source.order};
    if (source.warps.factor > 0) {
        const int warps_of_block = (block.threads() + 31) / 32;
        tiling.blocks_per_multiprocessor = std::max(1, pixels_of(source.warps, knobs) / warps_of_block);
    }
    return tiling;
}

std::uint64_t block_of_tile(TileOrder order, Extent grid, int column, int row) {
    const auto width = std::uint64_t(grid.width);
    const auto height = std::uint64_t(grid.height);
    const auto x = std::uint64_t(column);
    const auto y = std::uint64_t(row);
    switch (order) {
        case TileOrder::rows:
        case TileOrder::line:
        case TileOrder::folded_line:
            return y * width + x;
        case TileOrder::columns:
            return x * height + y;
        case TileOrder::diagonals:
            return (x + width - y % width) % width * height + y;
    }
    return 0;
}

std::pair<int, int> tile_of_block(TileOrder order, Extent grid, std::uint64_t block) {
    const auto width = std::uint64_t(grid.width);
    const auto height = std::uint64_t(grid.height);
    if (width == 0 || height == 0) return {0, 0};
    if (order == TileOrder::rows || order == TileOrder::folded_line)
        return {int(block % width), int(block / width)};
    const std::uint64_t row = block % height;
    const std::uint64_t column = block / height;
    const std::uint64_t shift = order == TileOrder::diagonals ? row : 0;
    return {int((column + shift) % width), int(row)};
}

Extent tile_of(const Tiling& tiling, Extent picture, int multiprocessors) {
    Extent tile = tiling.tile;
    if (tiling.uneven_width > 0 && picture.width % 4 != 0) tile.width = tiling.uneven_width;
    if (tiling.blocks_per_multiprocessor == 0 || multiprocessors <= 0) return tile;
    const auto parts = [](int whole, int part) { return (whole + part - 1) / part; };
    const int columns = parts(picture.width, tile.width);
    const int high = std::max(1, tiling.blocks_per_multiprocessor * multiprocessors / columns);
    tile.height *= parts(parts(picture.height, high), tile.height);
    return tile;
}

Block fitted(const KernelSource& source, Block block) {
    block.x = within(find_knob(source, "BLOCK_X"), block.x);
    block.y = std::min(within(find_knob(source, "BLOCK_Y"), block.y), kMaxThreadsPerBlock / block.x);
    return block;
}

std::string blocks_text(const KernelSource& source) {
    return range_text(find_knob(source, "BLOCK_X")) + " x " + range_text(find_knob(source, "BLOCK_Y"));
}

int registers_within_cap(const CompileReport& report) {
    return report.register_cap > 0 ? std::min(report.registers, report.register_cap) : report.registers;
}

}  // namespace ws
