#include "gpu/simt/sample.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "gpu/simt/partitions.h"

namespace ws::simt {
namespace {

constexpr int kLine = 128;  // what a request is counted for depends on where it begins within so many bytes
constexpr int kCachedElements = 1 << 14;            // whose hits are counted, once the caches are warm
constexpr std::uint64_t kWindowElements = 1 << 17;  // for which memory partitions are counted, about

struct Range {
    int first = 0, end = 0;
    [[nodiscard]] int size() const { return std::max(0, end - first); }
};

// Begin, middle and end of an axis: blocks that read over the border stand apart. The last block may be
// narrower than the border.
std::array<Range, 3> split(int blocks, int tile, int border) {
    const int over = (border + tile - 1) / tile;
    const int first = std::min(over, (blocks + 1) / 2);
    const int end = std::max(first, blocks - over - 1);
    return {Range{0, first}, Range{first, end}, Range{end, blocks}};
}

// After so many steps of `bytes` the alignment repeats: a power of two.
int period(std::int64_t bytes) {
    return kLine / int(std::gcd<std::int64_t>(kLine, bytes));
}

// Positions in the middle of the range whose alignments, which repeat after `period` positions, lie as evenly
// as `most` of them can, to a line and to a sector: all of the range, a whole period, or pairs of neighbours
// far apart in it. Neighbours, because in some kernels every second block works the other way round. `at`:
// not in the middle, but, with the same alignments, at this part of the way through the range.
std::vector<int> spread(Range range, int period, int most, std::optional<double> at = std::nullopt) {
    period = std::max(period, 2);
    std::vector<int> chosen;
    if (range.size() <= std::min(period, most)) {
        chosen.resize(std::size_t(range.size()));
        std::iota(chosen.begin(), chosen.end(), range.first);
        return chosen;
    }
    const int span = std::min(period, range.size());
    int from = range.first + (range.size() - span) / 2;
    if (at) {
        const int before = (from - range.first) / period;
        const int places = before + (range.first + range.size() - span - from) / period + 1;
        from += period * (int(*at * places) - before);
    }
    const int pairs = std::min(span / 2, int(std::bit_floor(unsigned(std::max(2, most)) / 2)));
    // One pair further than a part of the span, so that they do not all lie alike within a sector.
    const int step = span / pairs + (pairs < span / 2 ? 2 : 0);
    for (int i = 0; i < pairs; ++i) {
        chosen.push_back(from + i * step % span);
        chosen.push_back(from + (i * step + 1) % span);
    }
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
}

// A step of a sequence that lies evenly in two dimensions (the roots of x^3 = x + 1), within 0 and 1.
constexpr double kAcross = 0.7548776662466927;
constexpr double kDown = kAcross * kAcross;
double even_place(double step, int i) {
    const double at = 0.5 + step * i;
    return at - std::floor(at);
}

// Each set as many blocks as all before it, or so many.
constexpr std::size_t kMostSets = 6;
constexpr std::size_t kFewBlocks = 32;

// About so many blocks all over the grid, as evenly as the steps of a low-discrepancy sequence lie, half of
// them first; then more of the sequence, up to half of the grid.
Stratum spread_over(Extent grid, TileOrder order, int most) {
    Stratum stratum;
    stratum.stands_for = grid.pixels();
    if (stratum.stands_for <= std::uint64_t(most)) {
        stratum.blocks.resize(stratum.stands_for);
        std::iota(stratum.blocks.begin(), stratum.blocks.end(), std::uint64_t(0));
        return stratum;
    }
    const auto place = [](double step, int i, int count) {
        return std::min(count - 1, int(even_place(step, i) * count));
    };
    const auto set = [&](int first, int end) {
        std::vector<std::uint64_t> blocks;
        for (int i = first; i < end; ++i)
            blocks.push_back(
                block_of_tile(order, grid, place(kAcross, i, grid.width), place(kDown, i, grid.height)));
        std::sort(blocks.begin(), blocks.end());
        blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
        return blocks;
    };
    stratum.blocks = set(0, most / 2);
    stratum.further.push_back(set(most / 2, most));
    for (int end = 2 * most;
         stratum.further.size() < kMostSets && std::uint64_t(end) <= stratum.stands_for / 2; end *= 2)
        stratum.further.push_back(set(end / 2, end));
    return stratum;
}

// Blocks in the order of a launch: first as many as fill L1, or a row of blocks if L2 holds it, then those
// whose hits are counted.
void choose_cached_blocks(const GpuProfile& gpu, const KernelLaunch& launch, Extent tile, int source_bytes,
                          LaunchOptions& options) {
    const Extent grid{launch.grid[0], launch.grid[1]};
    const std::uint64_t all = std::uint64_t(grid.width) * std::uint64_t(grid.height);
    const std::uint64_t tile_elements = std::max<std::uint64_t>(1, tile.pixels());
    const std::uint64_t bytes_per_block = std::uint64_t(source_bytes) * tile_elements;
    const auto row = std::uint64_t(grid.width);
    std::uint64_t warm_up = l1_bytes_of(launch, gpu) / bytes_per_block + 1;
    const bool l2_holds_row = 2 * row * bytes_per_block <= std::uint64_t(gpu.l2_kib) * 1024;
    constexpr std::uint64_t kMostWarmUpElements = 1 << 18;
    if (l2_holds_row && row * tile_elements <= kMostWarmUpElements) warm_up = std::max(warm_up, row + 1);
    const std::uint64_t counted = std::max<std::uint64_t>(16, kCachedElements / tile_elements);
    const std::uint64_t taken = std::min(all, warm_up + counted);
    const std::uint64_t first = (all - taken) / 2;
    options.blocks.resize(taken);
    std::iota(options.blocks.begin(), options.blocks.end(), first);
    // Work that is small is taken as a whole, from cold caches, as it is launched.
    options.cache_warm_up = taken == all ? 0 : warm_up;
}

// Memory partitions of a few windows, spread over the grid.
void count_windows(Gpu& gpu, const KernelLaunch& launch, const LaunchOptions& options,
                   std::uint64_t tile_elements, LaunchOutcome& outcome) {
    const std::uint64_t all = std::uint64_t(launch.grid[0]) * std::uint64_t(launch.grid[1]);
    const std::uint64_t window = std::min(all, options.window_blocks);
    const std::uint64_t wanted = std::clamp<std::uint64_t>(kWindowElements / (window * tile_elements), 2, 8);
    const std::uint64_t windows = std::min(wanted, all / window);
    LaunchOptions windowed = options;
    windowed.check = false;
    windowed.window_blocks = window;
    for (std::uint64_t i = 0; i < windows; ++i) {
        // Of those that a launch has, to the block: they are not all alike.
        const std::uint64_t first = i * (all / window) / windows * window;
        for (std::uint64_t k = 0; k < window; ++k) windowed.blocks.push_back(first + k);
    }
    const LaunchOutcome counted = gpu.launch(launch, windowed);
    outcome.cancelled = counted.cancelled;
    outcome.counters.partition_windows = counted.counters.partition_windows;
    outcome.counters.partitions = counted.counters.partitions;
    const double factor = double(all) / double(windowed.blocks.size());
    for (PartitionCounts& partition : outcome.counters.partitions) partition = partition.scaled(factor);
}

}  // namespace

Layout layout_of(const Lab& lab, const Launch& launch, Extent size) {
    Layout layout{size, launch.tile, 4, 4, lab.reach, false, launch.tiling.order};
    constexpr int kOfUneven = 256;
    if (lab.steps[std::size_t(launch.step)].uneven) layout.least_blocks = kOfUneven;
    // Rows do not matter to runs of elements.
    if (is_line(layout.order)) {
        layout.size = {int(size.pixels()), 1};
        layout.tile = {int(launch.tile.pixels()), 1};
    }
    for (const Argument& argument : launch.arguments) {
        if (argument.buffer < 0) continue;
        const ws::Buffer& buffer = lab.buffers[std::size_t(argument.buffer)];
        layout.element_bytes = std::min(layout.element_bytes, bytes_of(buffer.element));
        if (argument.only_reads()) layout.read_bytes = bytes_of(buffer.element);
        layout.turned = layout.turned || buffer.turned;
    }
    return layout;
}

std::vector<Stratum> choose_blocks(const Layout& layout, int elements) {
    const Extent tile = layout.tile;
    const Extent grid = grid_for(layout.size, tile);
    const int most = int(std::max<std::size_t>(
        std::size_t(layout.least_blocks), std::size_t(elements) / std::max<std::size_t>(1, tile.pixels())));
    if (layout.reach == kReadsAnywhere) return {spread_over(grid, layout.order, most)};
    // What lies between blocks beside and below each other, where they read and, if that is turned, where
    // they write.
    const std::int64_t row_bytes = std::int64_t(layout.element_bytes) * tile.height * layout.size.width;
    const std::int64_t tile_bytes = std::int64_t(layout.element_bytes) * tile.width;
    const std::int64_t turned_column = std::int64_t(layout.element_bytes) * tile.width * layout.size.height;
    const std::int64_t turned_row = std::int64_t(layout.element_bytes) * tile.height;
    const int columns = std::max(period(tile_bytes), layout.turned ? period(turned_column) : 1);
    const int down_period = std::max(period(row_bytes), layout.turned ? period(turned_row) : 1);
    const int all = std::max(columns, period(std::gcd(tile_bytes, row_bytes)));
    const auto across = split(grid.width, tile.width, layout.reach);
    const auto down = split(grid.height, tile.height, layout.reach);
    std::vector<Stratum> strata;
    for (std::size_t y = 0; y < 3; ++y) {
        for (std::size_t x = 0; x < 3; ++x) {
            Stratum stratum;
            stratum.stands_for = std::uint64_t(across[x].size()) * std::uint64_t(down[y].size());
            if (stratum.stands_for == 0) continue;
            // The interior gets half, each border half of that; across a border none is left out, since its
            // blocks differ.
            const int share = x == 1 && y == 1 ? most / 2 : std::max(4, most / 4);
            const int high_at_least = y == 1 ? 2 : down[y].size();
            // In the middle of the stratum, or so far through it.
            const auto set = [&](std::vector<std::uint64_t>& blocks, std::optional<double> at_x,
                                 std::optional<double> at_y) {
                const std::vector<int> wide =
                    spread(across[x], x == 1 ? columns : across[x].size(),
                           x == 1 ? std::max(2, share / high_at_least) : across[x].size(), at_x);
                // Where the columns have every alignment that theirs can be, few rows complete them.
                const bool whole = x == 1 && int(wide.size()) >= columns;
                const int rows = whole ? all / columns : down_period;
                const std::vector<int> high = spread(
                    down[y], y == 1 ? rows : down[y].size(),
                    y == 1 ? std::max(2, share / std::max(1, int(wide.size()))) : down[y].size(), at_y);
                for (const int row : high) {
                    for (const int column : wide)
                        blocks.push_back(block_of_tile(layout.order, grid, column, row));
                }
            };
            set(stratum.blocks, std::nullopt, std::nullopt);
            // The blocks of most of the grid may differ from each other by what they read.
            const bool most_of_all = 2 * stratum.stands_for > grid.pixels();
            const std::size_t least = kFewBlocks / stratum.blocks.size();
            for (std::size_t copies = 1, i = 1; most_of_all && stratum.further.size() < kMostSets;) {
                if (2 * std::max(copies, least) * stratum.blocks.size() > stratum.stands_for / 2) break;
                std::vector<std::uint64_t>& further = stratum.further.emplace_back();
                const std::size_t wanted = std::max(copies, least);
                for (; i < copies + wanted; ++i)
                    set(further, even_place(kAcross, int(i)), even_place(kDown, int(i)));
                copies += wanted;
            }
            strata.push_back(std::move(stratum));
        }
    }
    return strata;
}

namespace {

// The sets of a stratum that are needed, one after the other.
class StratumRun {
  public:
    StratumRun(const Stratum& stratum, bool shows) : stratum_(stratum), shows_(shows) {}

    // Whether there is another one to run.
    [[nodiscard]] bool goes_on() const {
        if (ends_ || sets_ > stratum_.further.size()) return false;
        return sets_ < 2 || (instructions_ < kMostInstructions && !agree_);
    }
    void run(Gpu& gpu, const KernelLaunch& launch, const LaunchOptions& options) {
        LaunchOptions part = options;
        part.blocks = sets_ == 0 ? stratum_.blocks : stratum_.further[sets_ - 1];
        part.example_block = shows_ && sets_ == 0 ? part.blocks[part.blocks.size() / 2] : ~0ull;
        LaunchOutcome& outcome = outcomes_.emplace_back(gpu.launch(launch, part));
        ends_ = outcome.cancelled || outcome.stopped;
        const auto instructions = double(outcome.counters.total.instructions);
        const auto blocks = double(part.blocks.size());
        agree_ = blocks_ >= kFewBlocks &&
                 std::abs(instructions / blocks * blocks_ - instructions_) <= kAgreement * instructions_;
        instructions_ += instructions;
        blocks_ += blocks;
        ++sets_;
    }
    [[nodiscard]] const std::vector<LaunchOutcome>& outcomes() const { return outcomes_; }
    // Blocks of the launch for each that ran.
    [[nodiscard]] double factor() const { return double(stratum_.stands_for) / blocks_; }

  private:
    // Of two halves: their mean is then within half of that, about.
    static constexpr double kAgreement = 0.01;
    static constexpr double kMostInstructions = 3e6;  // some 10 ms on two cores

    const Stratum& stratum_;
    bool shows_;
    std::vector<LaunchOutcome> outcomes_;
    std::size_t sets_ = 0;
    double instructions_ = 0, blocks_ = 0;
    bool agree_ = false, ends_ = false;
};

// Adds what a part of a launch counted, each block of it for `factor`.
class Sum {
  public:
    void add(const LaunchOutcome& outcome, double factor) {
        KernelCounters& total = sum_.counters;
        const KernelCounters& more = outcome.counters;
        total.total += more.total.scaled(factor);
        for (const LineCounts& line : more.lines) lines_[line.line] += line.counts.scaled(factor);
        executions_.resize(more.block_executions.size());
        for (std::size_t i = 0; i < executions_.size(); ++i)
            executions_[i] += factor * double(more.block_executions[i]);
        for (const Finding& finding : more.findings) {
            const auto [known, is_new] = findings_.try_emplace({finding.kind, finding.line}, finding);
            if (!is_new) known->second.count += finding.count;
        }
        total.accesses.insert(total.accesses.end(), more.accesses.begin(), more.accesses.end());
        total.caches += more.caches.scaled(factor);
        total.kernel = more.kernel;
        total.gpu = more.gpu;
        total.block = more.block;
        total.blocks_total = more.blocks_total;
        total.warps = more.warps;
        total.blocks_simulated += more.blocks_simulated;
        total.milliseconds += more.milliseconds;
        sum_.stopped = sum_.stopped || outcome.stopped;
        sum_.cancelled = sum_.cancelled || outcome.cancelled;
    }
    [[nodiscard]] bool ends() const { return sum_.cancelled || sum_.stopped; }
    [[nodiscard]] LaunchOutcome take() {
        for (const auto& [line, counts] : lines_) sum_.counters.lines.push_back({line, counts});
        for (const auto& [key, finding] : findings_) sum_.counters.findings.push_back(finding);
        for (const double times : executions_)
            sum_.counters.block_executions.push_back(std::uint64_t(std::llround(times)));
        return std::move(sum_);
    }

  private:
    LaunchOutcome sum_;
    std::map<int, InstructionCounts> lines_;
    std::vector<double> executions_;
    std::map<std::pair<Finding::Kind, int>, Finding> findings_;
};

}  // namespace

LaunchOutcome launch_sample(Gpu& gpu, const KernelLaunch& launch, const LaunchOptions& options,
                            const std::vector<Stratum>& strata) {
    std::uint64_t largest = 0;
    for (const Stratum& stratum : strata) largest = std::max(largest, stratum.stands_for);
    bool shown = false;  // examples are those of one block
    Sum sum;
    for (const Stratum& stratum : strata) {
        const bool shows = stratum.stands_for == largest && !shown;
        shown |= shows;
        StratumRun run(stratum, shows);
        while (run.goes_on()) run.run(gpu, launch, options);
        for (const LaunchOutcome& outcome : run.outcomes()) sum.add(outcome, run.factor());
        if (sum.ends()) break;
    }
    return sum.take();
}

LaunchOutcome count_sample(Gpu& gpu, const KernelLaunch& launch, const LaunchOptions& options,
                           const Layout& layout) {
    LaunchOptions plain = options;
    plain.window_blocks = 0;  // those of a sample do not run together
    LaunchOutcome outcome = launch_sample(gpu, launch, plain, choose_blocks(layout, kCountedElements));
    if (outcome.cancelled || outcome.stopped) return outcome;
    if (memory_partitions(gpu.profile().limits.capability) > 0 && options.window_blocks > 0)
        count_windows(gpu, launch, options, layout.tile.pixels(), outcome);
    const bool fetches = outcome.counters.total.texture.requests > 0;
    if (!caches_global_memory(gpu.profile().limits.capability) && !fetches) return outcome;
    LaunchOptions cached = plain;
    cached.check = false;
    cached.model_caches = true;
    choose_cached_blocks(gpu.profile(), launch, layout.tile, layout.read_bytes, cached);
    const LaunchOutcome caches = gpu.launch(launch, cached);
    outcome.cancelled = caches.cancelled;
    outcome.counters.caches = caches.counters.caches;
    return outcome;
}

}  // namespace ws::simt
