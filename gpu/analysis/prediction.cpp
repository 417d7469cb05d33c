#include "gpu/analysis/prediction.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/analysis/arithmetic.h"
#include "gpu/analysis/estimate.h"
#include "gpu/analysis/occupancy.h"
#include "gpu/core/plan.h"

namespace ws {
namespace {

// Warp instructions around one load of a tile: its address, its guards, its store to shared memory. The mean
// over the blur kernels.
constexpr double kInstructionsPerTileLoad = 12;
// Where all threads go through tile and border together, so much of the work is on both: the mean of two
// kernels that do several filters one after the other.
constexpr double kOnBorder = 0.7;
// Of so many registers fewer the compiler spills none.
constexpr double kRegistersToSpare = 0.85;

// Two knobs are known by name, whatever the kernel.
constexpr std::string_view kPad = "PAD";               // cells added to a row of the tile
constexpr std::string_view kMinBlocks = "MIN_BLOCKS";  // of __launch_bounds__

bool names(const TileSide& side, std::string_view knob) {
    return std::find(side.knobs.begin(), side.knobs.end(), knob) != side.knobs.end();
}

int value_of(const KnobValues& knobs, std::string_view name) {
    const auto found = knobs.find(std::string(name));
    return found == knobs.end() ? 0 : found->second;
}

// ---- how a block works on its tile

// A launch in a block, as far as it can be told without running it.
struct Shape {
    Block block;
    Extent tile;
    double blocks = 0;
    double warps = 0;      // of the launch
    int rows_of_warp = 0;  // of the tile, where each warp has a strip of its own; else 0
    [[nodiscard]] double elements() const { return blocks * double(tile.pixels()); }
};

// A kernel that takes one width alone gives each warp its own rows.
bool has_strips(const KernelSource& source) {
    return std::any_of(source.knobs.begin(), source.knobs.end(),
                       [](const Knob& knob) { return knob.name == "BLOCK_X" && knob.low == knob.high; });
}

Shape shape_of(const CountedKernel& now, Block block, const KnobValues& knobs) {
    const CountKey& key = now.result.key;
    const Tiling tiling = tiling_of(now.source, knobs, block);
    Shape shape;
    shape.block = block;
    shape.tile = tile_of(tiling, key.input.size, key.gpu.multiprocessors);
    shape.blocks = double(grid_for(key.input.size, shape.tile, tiling.order).pixels());
    shape.warps = shape.blocks * divide_up(block.threads(), kWarp);
    if (has_strips(now.source)) shape.rows_of_warp = std::max(1, shape.tile.height / block.y);
    return shape;
}

// How a block fills its tile: it reads so many elements beyond it on each side, each lane `wide` of a row.
struct Border {
    int across = 0, down = 0;
    int wide = 1;
    bool through = false;  // cell after cell by all threads, whatever the rows are; else row by row
};

// Loads of a thread.
double tile_loads(const Shape& shape, const Border& border) {
    const int width = shape.tile.width + 2 * border.across;
    const int height = shape.tile.height + 2 * border.down;
    if (border.through) return divide_up(divide_up(width, border.wide) * height, shape.block.threads());
    return double(divide_up(width, border.wide * shape.block.x)) * divide_up(height, shape.block.y);
}
// What is read over what is written.
double border_ratio(const Shape& shape, const Border& border) {
    const double width = shape.tile.width;
    const double height = shape.rows_of_warp > 0 ? shape.rows_of_warp : shape.tile.height;
    return (width + 2 * border.across) * (height + 2 * border.down) / (width * height);
}

double loads_of_thread(const KernelCounters& counters) {
    return counters.warps > 0 ? double(counters.total.global_load.requests) / double(counters.warps) : 0;
}

// The border of a block that reads one, from the first address that it loads: it lies so many rows and
// elements before the block's own corner. Nothing where each thread reads for itself alone.
std::optional<Border> border_of(const CountedKernel& now, const Shape& shape) {
    const KernelCounters& counters = *now.result.counters;
    const bool tiled = shape.rows_of_warp > 0 || counters.total.shared_store.requests > 0;
    if (now.lab.reach == 0 || now.lab.reach == kReadsAnywhere || !tiled) return std::nullopt;
    Border border{now.lab.reach, now.lab.reach};
    const AccessExample* first = nullptr;
    for (const AccessExample& access : counters.accesses) {
        if (access.shared || access.store || access.buffer < 0 || (access.mask & 1) == 0) continue;
        if (!first || access.addresses[0] < first->addresses[0]) first = &access;
    }
    if (first && std::size_t(first->buffer) < now.lab.buffers.size()) {
        const Buffer& buffer = now.lab.buffers[std::size_t(first->buffer)];
        const std::int64_t element = bytes_of(buffer.element);
        const std::int64_t width = extent_of(buffer, now.result.key.input.size).width;
        border.wide = std::max(1, int(first->bytes / element));
        const std::int64_t corner = (std::int64_t(first->block_y) * shape.tile.height * width +
                                     std::int64_t(first->block_x) * shape.tile.width);
        const std::int64_t before =
            corner - (std::int64_t(first->addresses[0]) - std::int64_t(first->base)) / element;
        const std::int64_t down = (before + width / 2) / width;
        const std::int64_t across = before - down * width;
        if (down >= 0 && down <= now.lab.reach && across >= 0 && across <= 2 * now.lab.reach)
            border = {int(across), int(down), border.wide, false};
    }
    const double loads = loads_of_thread(counters);
    Border through = border;
    through.through = true;
    if (std::abs(tile_loads(shape, through) - loads) < std::abs(tile_loads(shape, border) - loads))
        return through;
    return border;
}

// ---- requests whose lanes lie differently

// Addresses grow by so much from thread to thread.
struct Pattern {
    std::int64_t first = 0;  // of thread (0, 0)
    std::int64_t along_x = 0, along_y = 0;
};

// From the lanes of a block's first warp; nothing where they follow no such rule.
std::optional<Pattern> pattern_of(const AccessExample& access, const CountedKernel& now) {
    const int side = now.result.key.launch.block.x;
    if (access.mask != ~0u || side < 2) return std::nullopt;
    Pattern pattern;
    pattern.first = std::int64_t(access.addresses[0]);
    pattern.along_x = std::int64_t(access.addresses[1]) - pattern.first;
    if (side < kWarp) {
        pattern.along_y = std::int64_t(access.addresses[std::size_t(side)]) - pattern.first;
    } else {
        // No lane of it lies in the next row: a row of the buffer further, or, along a column, one element.
        if (access.buffer < 0) return std::nullopt;
        const Buffer& buffer = now.lab.buffers[std::size_t(access.buffer)];
        const std::int64_t row =
            std::int64_t(extent_of(buffer, now.result.key.input.size).width) * bytes_of(buffer.element);
        pattern.along_y = std::abs(pattern.along_x) >= row ? bytes_of(buffer.element) : row;
    }
    for (int lane = 0; lane < kWarp; ++lane) {
        const std::int64_t expected =
            pattern.first + lane % side * pattern.along_x + lane / side * pattern.along_y;
        if (std::int64_t(access.addresses[std::size_t(lane)]) != expected) return std::nullopt;
    }
    return pattern;
}

// Pieces of memory that a request touches, as a mean over the warps of a row of blocks.
double pieces(const Pattern& pattern, int bytes, int side, int piece, int lanes_at_once) {
    constexpr int kWarps = 4;
    constexpr int kMostParts = 17;  // 16 bytes of a lane, which begin anywhere
    std::array<std::int64_t, std::size_t(kWarp) * kMostParts> touched{};
    std::ptrdiff_t count = 0;
    for (int warp = 0; warp < kWarps; ++warp) {
        const std::int64_t from =
            pattern.first + std::int64_t(warp) * std::min(side, kWarp) * pattern.along_x;
        for (int begin = 0; begin < kWarp; begin += lanes_at_once) {
            auto end = touched.begin();
            for (int lane = begin; lane < begin + lanes_at_once; ++lane) {
                const std::int64_t at = from + lane % side * pattern.along_x + lane / side * pattern.along_y;
                for (std::int64_t part = at / piece; part <= (at + bytes - 1) / piece; ++part) *end++ = part;
            }
            std::sort(touched.begin(), end);
            count += std::unique(touched.begin(), end) - touched.begin();
        }
    }
    return double(count) / kWarps;
}

// How a GPU splits requests: sectors from 3.0 on; before, lines, and segments of a half warp.
struct Split {
    int piece = 32;
    int at_once = kWarp;
};
Split split_of(ComputeCapability capability, bool store) {
    if (capability.major < 2) return {64, kWarp / 2};
    return {capability.major == 2 && !store ? 128 : 32, kWarp};
}

// What a request would touch in rows of another width, over what it does now.
struct Factors {
    double sectors = 1;
    double lines = 1;
};
// Requests that lie alike against sectors and rows are looked at once.
struct Likeness {
    std::int64_t offset = 0, along_x = 0, along_y = 0;
    int bytes = 0;
    bool store = false;
    Factors factors;
    [[nodiscard]] bool same(const Likeness& other) const {
        return offset == other.offset && along_x == other.along_x && along_y == other.along_y &&
               bytes == other.bytes && store == other.store;
    }
};

Factors factors_of(const CountedKernel& now, const AccessExample& access, int side,
                   std::vector<Likeness>& seen) {
    const std::optional<Pattern> pattern = pattern_of(access, now);
    if (!pattern) return {};
    Likeness like{pattern->first % 128, pattern->along_x, pattern->along_y, access.bytes, access.store, {}};
    for (const Likeness& known : seen) {
        if (known.same(like)) return known.factors;
    }
    const int from = now.result.key.launch.block.x;
    const Split split = split_of(now.result.key.gpu.limits.capability, access.store);
    const auto change = [&](int piece) {
        return pieces(*pattern, access.bytes, side, piece, split.at_once) /
               pieces(*pattern, access.bytes, from, piece, split.at_once);
    };
    like.factors = {change(split.piece), change(128)};
    seen.push_back(like);
    return like.factors;
}

// The mean of the requests that a line makes.
Factors factors_of(const CountedKernel& now, int line, bool store, int side, std::vector<Likeness>& seen) {
    Factors sum{0, 0};
    int count = 0;
    for (const AccessExample& access : now.result.counters->accesses) {
        if (access.shared || access.store != store || access.line != line) continue;
        const Factors one = factors_of(now, access, side, seen);
        sum.sectors += one.sectors;
        sum.lines += one.lines;
        ++count;
    }
    return count == 0 ? Factors{} : Factors{sum.sectors / count, sum.lines / count};
}

std::uint64_t rounded(double value) {
    return value > 0 ? std::uint64_t(std::llround(value)) : 0;
}

// The kernel's loads or stores in rows of another width; those of lines are what the totals are made of.
TrafficCounts in_rows_of(const CountedKernel& now, bool store, int side) {
    const InstructionCounts& total = now.result.counters->total;
    TrafficCounts made = store ? total.global_store : total.global_load;
    if (side == now.result.key.launch.block.x) return made;
    double sectors = 0;
    double lines = 0;
    double all_sectors = 0;
    double all_lines = 0;
    std::vector<Likeness> seen;
    for (const LineCounts& line : now.result.counters->lines) {
        const TrafficCounts& own = store ? line.counts.global_store : line.counts.global_load;
        if (own.requests == 0) continue;
        const Factors factors = factors_of(now, line.line, store, side, seen);
        all_sectors += double(own.sectors);
        sectors += double(own.sectors) * factors.sectors;
        all_lines += double(own.requests + own.replays);
        lines += double(own.requests + own.replays) * factors.lines;
    }
    if (all_sectors <= 0 || all_lines <= 0) return made;
    const double factor = sectors / all_sectors;
    const double all = double(made.requests + made.replays) * lines / all_lines;
    made.sectors = rounded(double(made.sectors) * factor);
    made.bytes_transferred = rounded(double(made.bytes_transferred) * factor);
    made.replays = rounded(std::max(0.0, all - double(made.requests)));
    return made;
}

// ---- what a launch in another shape counts

TrafficCounts scaled(TrafficCounts counts, double factor) {
    counts.requests = rounded(double(counts.requests) * factor);
    counts.sectors = rounded(double(counts.sectors) * factor);
    counts.bytes_requested = rounded(double(counts.bytes_requested) * factor);
    counts.bytes_transferred = rounded(double(counts.bytes_transferred) * factor);
    counts.replays = rounded(double(counts.replays) * factor);
    return counts;
}

// How the work of a launch changes: of all, and of what fills the tile.
struct Growth {
    double work = 1;      // elements, and those that only pad the last blocks
    double loads = 1;     // global loads
    double executed = 1;  // instructions
};
Growth growth_of(const CountedKernel& now, const Shape& from, const Shape& to) {
    Growth growth;
    const std::optional<Border> border = border_of(now, from);
    if (!border) return growth;  // threads beyond the edge leave at once
    if (from.rows_of_warp > 0) {
        growth.loads = growth.executed = border_ratio(to, *border) / border_ratio(from, *border);
        return growth;
    }
    growth.work = to.elements() / from.elements();
    const KernelCounters& counters = *now.result.counters;
    const double elements_of_thread = double(from.tile.pixels()) / from.block.threads();
    const double elements_then = double(to.tile.pixels()) / to.block.threads();
    // Each thread loads so many times as often, whether that is at all or never.
    const double often = tile_loads(to, *border) / tile_loads(from, *border);
    growth.loads = often / elements_then * to.elements() / (from.elements() / elements_of_thread);
    // What fills the tile grows with the loads, the rest with the elements.
    const double instructions = double(counters.total.instructions) / double(counters.warps);
    const double loads = loads_of_thread(counters);
    const double filling =
        border->through ? kOnBorder : std::min(0.8, kInstructionsPerTileLoad * loads / instructions);
    growth.executed = (1 - filling) * growth.work + filling * growth.loads;
    return growth;
}

// `load` and `store` are those of the launch with the lanes laid out as they would be.
KernelCounters counters_of(const CountedKernel& now, const Shape& from, const Shape& to,
                           const TrafficCounts& load, const TrafficCounts& store) {
    const KernelCounters& counted = *now.result.counters;
    const Growth growth = growth_of(now, from, to);
    KernelCounters made = counted;
    made.block = to.block;
    made.lines.clear();
    made.accesses.clear();
    made.findings.clear();
    made.blocks_total = rounded(to.blocks);
    made.warps = rounded(to.warps);
    made.total = counted.total.scaled(growth.executed);
    made.total.global_load = scaled(load, growth.loads);
    made.total.global_store = scaled(store, growth.work);
    made.total.barriers = rounded(double(counted.total.barriers) * to.warps / from.warps);
    // What misses the first level does so once, however it is asked for.
    const CacheModel& caches = counted.caches;
    if (caches.l1_sectors > 0 && counted.total.global_load.sectors > 0) {
        const double missed = 1 - double(caches.l1_hits) / double(caches.l1_sectors);
        const double then = double(load.sectors) / double(counted.total.global_load.sectors);
        made.caches.l1_hits =
            rounded(double(caches.l1_sectors) * std::max(0.0, 1 - missed / std::max(then, 1e-9)));
    }
    // 1.x: the same partitions, with less or more to do.
    const double moved_now = double(counted.total.global_load.bytes_transferred) +
                             double(counted.total.global_store.bytes_transferred);
    const double moved =
        double(made.total.global_load.bytes_transferred) + double(made.total.global_store.bytes_transferred);
    made.partition_windows.blocks =
        rounded(double(counted.partition_windows.blocks) * to.blocks / from.blocks);
    for (PartitionCounts& counts : made.partition_windows.counts)
        counts = counts.scaled(moved_now > 0 ? moved / moved_now : 1);
    return made;
}

// ---- what a block takes of a multiprocessor

// Registers of a thread once the compiler is held to fewer; nothing where it would have to spill.
std::optional<int> registers_of(int registers, Block block, const KnobValues& knobs,
                                const GpuLimits& limits) {
    const int lot = limits.capability.major >= 3 ? 128 : kWarp * std::max(1, limits.warp_granularity);
    const int threads = divide_up(block.threads(), lot) * lot;
    int most = limits.registers_per_block / threads / 8 * 8;
    if (const int blocks = value_of(knobs, kMinBlocks); blocks > 0)
        most = std::min(most, limits.registers_per_multiprocessor / (threads * blocks) / 8 * 8);
    if (registers <= most) return registers;
    if (most < kRegistersToSpare * registers) return std::nullopt;
    return most;
}

std::optional<Occupancy> occupancy_of_shape(const CountedKernel& now, const Shape& from, const Shape& to,
                                            const KnobValues& knobs) {
    const Occupancy& known = *now.result.occupancy;
    KernelResources resources = known.resources;
    resources.threads = to.block.threads();
    const std::optional<int> registers = registers_of(resources.registers, to.block, knobs, known.limits);
    if (!registers) return std::nullopt;
    resources.registers = *registers;
    const InstructionCounts& total = now.result.counters->total;
    const bool holds_tile = total.shared_load.requests + total.shared_store.requests > 0;
    if (resources.shared_bytes > 0 && holds_tile) {
        const std::optional<Border> border = border_of(now, from);
        const double tiles = double(to.tile.pixels()) / double(from.tile.pixels());
        const Border none;
        double more = from.rows_of_warp > 0 ? double(to.block.y) / from.block.y
                                            : tiles * border_ratio(to, border.value_or(none)) /
                                                  border_ratio(from, border.value_or(none));
        const int pad = value_of(knobs, kPad) - value_of(now.knobs, kPad);
        more *= 1 + double(pad) / to.tile.width;
        resources.shared_bytes = int(std::ceil(resources.shared_bytes * more));
    }
    Occupancy made = occupancy_of(resources, known.limits);
    if (made.active_blocks == 0) return std::nullopt;
    return made;
}

// A warp of another width goes over other rows of a tile, and their banks are not known; threads beyond a
// tile's width do nothing.
bool keeps_to_the_tile(const CountedKernel& now, const Shape& from, const Shape& to) {
    const bool fixed_width = !names(now.source.across, "BLOCK_X");
    if (fixed_width && to.block.x > to.tile.width && from.rows_of_warp == 0) return false;
    const bool shared = now.result.counters->total.shared_store.requests > 0;
    return !shared || from.rows_of_warp > 0 || (from.block.x >= kWarp) == (to.block.x >= kWarp);
}

// 1.x: blocks that run together may use other memory partitions in another shape; which ones is not known.
bool meets_other_partitions(const CountedKernel& now, const Shape& from, const Shape& to) {
    const bool moves = !(from.tile == to.tile) || from.block.x != to.block.x;
    return moves && !caches_global_memory(now.result.key.gpu.limits.capability);
}

bool all_known(const CountedKernel& now, const KnobValues& knobs) {
    return std::all_of(now.source.knobs.begin(), now.source.knobs.end(), [&](const Knob& knob) {
        return value_of(knobs, knob.name) == value_of(now.knobs, knob.name) ||
               is_predictable(now.source, knob);
    });
}

}  // namespace

bool is_predictable(const KernelSource& source, const Knob& knob) {
    return is_block_side(knob) || knob.name == kPad || knob.name == kMinBlocks ||
           names(source.across, knob.name) || names(source.down, knob.name);
}

const Prediction::Laid& Prediction::laid_out(int side) {
    for (const Laid& known : laid_) {
        if (known.side == side) return known;
    }
    const InstructionCounts& total = now_.result.counters->total;
    laid_.push_back({side, total.global_load, total.global_store});
    // A tile is copied in rows of its own; where each thread has its own element, the lanes of a warp move.
    const bool own = total.shared_store.requests == 0 && !has_strips(now_.source);
    if (own) laid_.back() = {side, in_rows_of(now_, false, side), in_rows_of(now_, true, side)};
    return laid_.back();
}

std::optional<StepResult> Prediction::of(Block block, const KnobValues& asked) {
    const StepResult& result = now_.result;
    KnobValues knobs = asked;
    knobs["BLOCK_X"] = block.x;
    knobs["BLOCK_Y"] = block.y;
    const bool known = result.counters && result.occupancy && result.estimate && !result.key.launch.shape;
    if (!known || result.counters->warps == 0 || block.threads() > result.key.gpu.limits.threads_per_block)
        return std::nullopt;
    if (!(fitted(now_.source, block) == block) || !all_known(now_, knobs)) return std::nullopt;
    const Shape from = shape_of(now_, result.key.launch.block, now_.knobs);
    const Shape to = shape_of(now_, block, knobs);
    if (from.elements() <= 0 || !keeps_to_the_tile(now_, from, to) || meets_other_partitions(now_, from, to))
        return std::nullopt;
    const std::optional<Occupancy> occupancy = occupancy_of_shape(now_, from, to, knobs);
    if (!occupancy) return std::nullopt;
    const Laid& laid = laid_out(block.x);
    KernelCounters counters = counters_of(now_, from, to, laid.load, laid.store);
    if (value_of(knobs, kPad) != value_of(now_.knobs, kPad)) {
        // The rows of a tile whose columns are read begin in different banks.
        counters.total.shared_load.wavefronts = counters.total.shared_load.ideal;
        counters.total.shared_store.wavefronts = counters.total.shared_store.ideal;
    }
    StepResult made;
    made.key = result.key;
    made.key.launch.block = block;
    made.key.launch.tile = to.tile;
    made.occupancy = occupancy;
    made.code = result.code;
    made.estimate = estimate_changed(counters, *occupancy, result);
    made.counters = std::make_shared<const KernelCounters>(std::move(counters));
    if (made.estimate->ms <= 0) return std::nullopt;
    // How many loads and links of other chains the compiler puts side by side in a longer or shorter thread
    // is in its code alone.
    const bool other_thread = from.elements() * to.block.threads() != to.elements() * from.block.threads();
    const bool waits = result.estimate->bounds.front().part == Part::latency ||
                       made.estimate->bounds.front().part == Part::latency;
    if (other_thread && waits) return std::nullopt;
    return made;
}

}  // namespace ws
