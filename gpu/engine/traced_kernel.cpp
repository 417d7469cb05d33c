#include "gpu/engine/traced_kernel.h"

#include <algorithm>
#include <cmath>
#include <future>

#include "gpu/analysis/clock_units.h"
#include "gpu/analysis/estimate.h"
#include "gpu/analysis/grid_work.h"
#include "gpu/analysis/l2_share.h"
#include "gpu/analysis/line_parts.h"
#include "gpu/analysis/occupancy.h"
#include "gpu/analysis/shared_loads.h"
#include "gpu/analysis/shortened_ways.h"
#include "gpu/analysis/staggered_blocks.h"
#include "gpu/analysis/stored_places.h"
#include "gpu/analysis/walks.h"
#include "gpu/analysis/written_sectors.h"
#include "gpu/core/background.h"
#include "gpu/core/error.h"
#include "gpu/core/l1_split.h"
#include "gpu/engine/block_sample.h"
#include "gpu/sass/machine_code_reader.h"

namespace ws {
namespace {

// Warp instructions of PTX of a round of blocks.
constexpr double kMostOfARound = 5e5;
// Blocks of which only the places are looked at that they store to, and how many instructions these, or near
// ones, may have together, about.
constexpr int kBlocksBeside = 16;
constexpr double kMostBeside = 1e5;
// Of what is traced, in other basic blocks than in the whole launch: of a part of a round, of whole blocks.
constexpr double kElsewhere = 0.15;
constexpr double kElsewhereWhole = 0.03;
// Of what it lacks: a multiprocessor that brings so much of it brings all.
constexpr double kNobodyElse = 0.95;

// Of the clock: of all that a multiprocessor does or of one round, and of several rounds where others follow.
constexpr double kMostWork = 2.7e5;
constexpr double kMostOfRounds = 2e5;
// Of ways that are shortened, where no block follows: the part in which warps may still go in step.
constexpr double kInStep = 0.5;
// Where it runs no more than so many of at least so many rounds, its blocks begin as in the middle of a
// launch.
constexpr double kFewRounds = 2;
constexpr double kManyRounds = 6;
constexpr std::int64_t kTimelineClocks = 20000;  // that are written down

// On average, of the machine code.
double steps_of_a_block(const ClockBlocks& blocks) {
    double steps = 0;
    for (const std::vector<ClockWarp>& block : blocks)
        for (const ClockWarp& warp : block) steps += double(warp.steps());
    return std::max(1.0, steps / double(std::max<std::size_t>(1, blocks.size())));
}

// The PTX that the job's machine code was assembled from: what was counted, which has been read already, or
// a kernel of its own; null where the code does not say it.
std::shared_ptr<const CompiledKernel> ptx_of(const ClockJob& job) {
    const CompiledKernel& code = *job.launch.kernel;
    const std::string text = ptx_in(code.binary);
    if (text.empty()) return nullptr;
    if (job.ptx && is_same_ptx(text, {job.ptx->binary.data(), job.ptx->binary.size()})) return job.ptx;
    auto made = std::make_shared<CompiledKernel>();
    made->source_name = code.source_name;
    made->entry = code.entry;
    made->binary.assign(text.begin(), text.end());
    made->binary.push_back('\0');
    made->is_ptx = true;
    made->report = code.report;
    return made;
}

MachineCode code_or_throw(std::future<Result<MachineCode>>& reading) {
    Result<MachineCode> code = reading.get();
    if (!code.ok()) throw Error(code.message());
    return std::move(code.value());
}

}  // namespace

StagePtx staged_by(LaunchStager& stager, const ClockJob& job) {
    return [&stager, &job](const Launch& launch) {
        return stager.stage({job.key.counts, launch, job.problem});
    };
}

std::unique_ptr<const TracedKernel> TracedKernel::make(const ClockJob& job, const StagePtx& stage,
                                                       const std::atomic<bool>& cancel) {
    const CompiledKernel& kernel = *job.launch.kernel;
    const GpuProfile& gpu = job.key.counts.gpu;
    std::unique_ptr<TracedKernel> made(new TracedKernel);
    made->key_ = {job.key.counts, job.key.bytes_between, 0};
    made->blocks_ = job.counters->blocks_total;
    std::future<Result<MachineCode>> reading =
        std::async(std::launch::async, [&] { return read_machine_code(kernel.binary, kernel.entry); });

    Launch of_ptx = job.launch;
    of_ptx.kernel = ptx_of(job);
    if (!of_ptx.kernel) {
        (void)code_or_throw(reading);
        throw Error("the machine code does not say which PTX it was assembled from");
    }
    Tracing tracing{stage(of_ptx), simt::step_options()};
    tracing.options.cancel = &cancel;
    const KernelResources resources{
        job.launch.block.threads() * job.launch.threads()[2], kernel.report.registers,
        int(simt::shared_bytes_of(tracing.staged.launch)), false, job.launch.cache};
    made->occupancy_ = occupancy_of(resources, gpu.limits);
    if (made->occupancy_.active_blocks == 0) throw Error("a block does not fit on a multiprocessor");

    if (!made->trace(tracing, job, [&] { return stage(of_ptx); })) return nullptr;
    made->code_ = code_or_throw(reading);
    if (!made->look_at_trace(std::move(tracing), job)) return nullptr;
    made->work_of_a_block_ = work_of_a_block(made->trace_, made->paths_, made->code_, *job.counters);
    made->place_warps();
    return made;
}

// False where it was cancelled. Of blocks that are long a part, if what is executed there is what the whole
// launch executes; else all of them. Where whole blocks from the middle of the grid do other things than the
// rest, some from all over it. What is traced again finds memory that is staged again.
bool TracedKernel::trace(Tracing& tracing, const ClockJob& job, const std::function<StagedLaunch()>& again) {
    const double steps =
        double(job.counters->total.instructions) / double(std::max<std::uint64_t>(1, blocks_));
    const BlockSample sample =
        block_sample(blocks_, job.key.counts.gpu.multiprocessors, occupancy_.active_blocks, steps);
    const double part = kMostOfARound / std::max(1.0, steps * double(sample.blocks.size() - sample.warm_up));
    simt::LaunchOptions& options = tracing.options;
    tracing.steps = steps;
    options.blocks = sample.blocks;
    options.trace.trace = &trace_;
    options.trace.warm_up = sample.warm_up;
    if (part < 1)
        options.trace.most_instructions = std::llround(part * steps / double(occupancy_.warps_per_block));
    if (!trace_blocks(tracing)) return false;
    const TracedMix mix = traced_mix(trace_, *job.counters);
    const auto trace_again = [&] {
        tracing.staged = again();
        return trace_blocks(tracing);
    };
    if (part < 1 && mix.elsewhere <= kElsewhere) {
        whole_over_traced_ = mix.whole;
    } else if (part < 1) {
        options.trace.most_instructions = 0;
        return trace_again();
    } else if (mix.elsewhere > kElsewhereWhole && mix.elsewhere < 1) {
        const BlockSample other =
            from_all_over(sample, blocks_, job.key.counts.gpu.multiprocessors, occupancy_.active_blocks);
        if (other.blocks == sample.blocks) return true;
        KernelTrace of_the_middle = std::move(trace_);
        options.blocks = other.blocks;
        options.trace.warm_up = other.warm_up;
        if (!trace_again()) return false;
        if (traced_mix(trace_, *job.counters).elsewhere >= mix.elsewhere) trace_ = std::move(of_the_middle);
    }
    return true;
}

bool TracedKernel::trace_blocks(Tracing& tracing) {
    const simt::LaunchOutcome outcome = tracing.staged.gpu.launch(tracing.staged.launch, tracing.options);
    if (outcome.cancelled) return false;
    if (outcome.stopped) throw Error(outcome.counters.findings.front().message);
    return true;
}

// What the memory has to do does not depend on the way through the machine code, so that all of this is done
// side by side, what takes longest first. False where it was cancelled.
bool TracedKernel::look_at_trace(Tracing tracing, const ClockJob& job) {
    const std::atomic<bool>* cancel = tracing.options.cancel;
    const int threads = processors();
    std::vector<WarpTrace>& warps = trace_.warps;
    fill_load(job);
    std::atomic<bool> noted{false};
    const std::function<void()> parts[] = {
        [&] { paths_ = PathFinder(code_, trace_).find(warps, threads, cancel); },
        [&] { noted = note_stored(tracing) && note_misses(tracing, job); },
        [&] { never_whole_ = never_whole(trace_); },
        [&] { load_.stored.of_a_warp = places_of_a_warp(trace_); },
    };
    std::atomic<std::size_t> next{0};
    run_on_threads(threads, [&](int) {
        std::size_t i = next++;
        for (; i < std::size(parts); i = next++) parts[i]();
        // Nothing else here reads what walks.
        for (; i < std::size(parts) + warps.size(); i = next++) mark_walks(warps[i - std::size(parts)]);
    });
    return noted && paths_.size() == warps.size();
}

// False where it was cancelled. Which blocks is chance, since such that lie evenly apart may be those of one
// column of the work. Their memory is what the traced ones have left, so that a kernel that appends, say,
// stores further on. Where blocks are long the first traced round stands for them.
bool TracedKernel::note_stored(Tracing& tracing) {
    const double of_round = places_at_once(trace_, std::size_t(occupancy_.active_blocks));
    if (of_round > 0) load_.stored.at_once = of_round;
    if (kBlocksBeside * tracing.steps > kMostBeside) return true;
    const auto multiprocessors = std::uint64_t(std::max(1, key_.counts.gpu.multiprocessors));
    const std::uint64_t together =
        std::min(blocks_, std::uint64_t(occupancy_.active_blocks) * multiprocessors);
    const double each = double(together) / kBlocksBeside;
    std::vector<std::uint64_t> blocks;
    for (int i = 0; i < kBlocksBeside; ++i) {
        const double place = each * (i + Dice::of(std::uint64_t(i)));
        const std::uint64_t block = (blocks_ - together) / 2 + std::uint64_t(place);
        if (blocks.empty() || block != blocks.back()) blocks.push_back(block);
    }
    const std::optional<KernelTrace> beside = trace_beside(
        tracing, std::move(blocks), std::llround(kMostBeside / double(occupancy_.warps_per_block)));
    if (!beside) return false;
    const double at_once = places_at_once(*beside, kBlocksBeside);
    if (at_once > 0) load_.stored.at_once = at_once;
    return true;
}

// Of other blocks: nothing where there are none or the simulated GPU stops at an error, null where it was
// cancelled.
std::optional<KernelTrace> TracedKernel::trace_beside(Tracing& tracing, std::vector<std::uint64_t> blocks,
                                                      std::int64_t most_instructions) {
    KernelTrace made;
    if (blocks.empty()) return made;  // to a launch that would mean all
    simt::LaunchOptions options = tracing.options;
    options.blocks = std::move(blocks);
    options.trace = {&made, 0, most_instructions};
    const simt::LaunchOutcome outcome = tracing.staged.gpu.launch(tracing.staged.launch, options);
    if (outcome.cancelled) return {};
    return outcome.stopped ? KernelTrace{} : std::move(made);
}

void TracedKernel::fill_load(const ClockJob& job) {
    const GpuProfile& gpu = job.key.counts.gpu;
    ClockLoad& load = load_;
    load.code = &code_;
    for (const WarpTrace& warp : trace_.warps) {
        if (load.blocks.empty() || warp.warp == 0) load.blocks.emplace_back();
        load.blocks.back().push_back({nullptr, &warp});
    }
    traced_blocks_ = load.blocks.size();
    load.schedulers = std::max(1, gpu.limits.partitions);
    load.busy_share = std::min(1.0, double(blocks_) / std::max(1, gpu.multiprocessors));
    load.before = trace_.before;
    load.local_words = trace_.local_words;
    load.never_whole = &never_whole_;
    load.l2_bytes = kept_in_l2(gpu);
    load.l2_share_bytes = std::uint64_t(gpu.l2_kib) * 1024 / std::uint64_t(std::max(1, gpu.multiprocessors));
    const SpillShares spills =
        spill_shares(job.counters->warps, occupancy_, gpu, job.launch.kernel->report.code, job.device_bytes);
    load.spills_past_l2 = spills.past_l2;
    load.spill_stores_past_l2 = spills.stores_past_l2;
}

// The shares of its sectors that one multiprocessor gets from device memory, and what of the rest is on its
// way to others. False where it was cancelled.
bool TracedKernel::note_misses(Tracing& tracing, const ClockJob& job) {
    const GpuProfile& gpu = key_.counts.gpu;
    // A launch among others finds what the one before it has left.
    const auto unique = double(job.counters->unique_bytes);
    least_moved_ = std::min(unique, job.device_bytes);
    if (!note_line_parts(tracing)) return false;
    const double times = whole_over_traced_ * double(blocks_) / double(load_.blocks.size());
    const L2Misses misses = l2_misses(trace_, load_.l2_share_bytes,
                                      {times, job.device_bytes, unique, key_.bytes_between,
                                       double(gpu.l2_kib) * 1024, load_.line_parts.room});
    load_.past_l2 = misses.past;
    const bool has_others = misses.past.loads > 0 && misses.past.loads < kNobodyElse * misses.moved;
    return !has_others || blocks_ == 1 || note_shared_loads(tracing, misses);
}

// Of the last traced block's lines, which other blocks go on with; nothing of blocks that are long, or of
// which a part was traced. False where it was cancelled.
bool TracedKernel::note_line_parts(Tracing& tracing) {
    const std::uint64_t last = trace_.warps.back().thread_block;
    const simt::Shape& grid = tracing.staged.launch.grid;
    std::vector<std::uint64_t> around =
        blocks_around(last, {std::uint64_t(grid[0]), std::uint64_t(grid[1]), std::uint64_t(grid[2])});
    const bool is_whole = tracing.options.trace.most_instructions == 0;
    if (!is_whole || double(around.size()) * tracing.steps > kMostBeside) return true;
    const std::optional<KernelTrace> beside = trace_beside(
        tracing, std::move(around), std::llround(kMostBeside / double(occupancy_.warps_per_block)));
    if (!beside) return false;
    load_.line_parts = line_parts(last, trace_, *beside);
    return true;
}

// What blocks near the last traced one want as well: the one beside it alone where they are long, none where
// one is too long. False where it was cancelled.
bool TracedKernel::note_shared_loads(Tracing& tracing, const L2Misses& misses) {
    const auto row = std::uint64_t(tracing.staged.launch.grid[0]);
    std::vector<NearBlock> near =
        near_blocks(trace_.warps.back().thread_block, row, blocks_, key_.counts.gpu.multiprocessors);
    if (tracing.steps > kMostBeside) return true;
    if (double(near.size()) * tracing.steps > kMostBeside) near.resize(1);
    std::vector<std::uint64_t> blocks;
    blocks.reserve(near.size());
    for (const NearBlock& one : near) blocks.push_back(one.block);
    const std::optional<KernelTrace> traced =
        trace_beside(tracing, std::move(blocks), tracing.options.trace.most_instructions);
    if (!traced) return false;
    load_.shared_loads = shared_loads(misses.of_last_block, near, *traced);
    for (SharedLoads& shared : load_.shared_loads) shared.part *= misses.moved;
    return true;
}

// On their ways. Where the assembler made much of little PTX, the last rounds are not run; where one round is
// too much, the last part of each warp's way is not. With no other blocks to come, warps wait there as in the
// later half of what runs: those that began together come apart as they go.
void TracedKernel::place_warps() {
    auto path = paths_.begin();
    for (std::vector<ClockWarp>& block : load_.blocks)
        for (ClockWarp& warp : block) warp.path = (path++)->get();
    const auto round = std::size_t(occupancy_.active_blocks);
    const std::uint64_t here = blocks_of_one(blocks_, key_.counts.gpu.multiprocessors);
    const double work = work_of(load_.blocks);
    const double of_traced = steps_of_a_block(load_.blocks);
    if (here > load_.blocks.size() || work > kMostWork) {
        const double rounds = kMostOfRounds / work * double(load_.blocks.size()) / double(round);
        load_.blocks.resize(std::min(load_.blocks.size(), std::size_t(std::max(1.0, rounds)) * round));
    }
    work_of_a_block_ *= of_traced / steps_of_a_block(load_.blocks);
    ways_over_run_ = shorten(load_.blocks, code_, kMostWork);
    if (ways_over_run_ > 1 && here <= load_.blocks.size())
        load_.in_step = std::int64_t(kInStep * steps_of_a_block(load_.blocks) * double(load_.blocks.size()));
}

// Whether a multiprocessor of the launch has more blocks than ran.
bool TracedKernel::others_follow(const ClockRun& run, Ran of, const GpuProfile& gpu) const {
    return of.parts * double(blocks_of_one(blocks_, gpu.multiprocessors)) > double(run.block_ends.size());
}

// Of a multiprocessor's blocks of the whole launch.
double TracedKernel::all_clocks(const ClockRun& run, Ran of, const GpuProfile& gpu) const {
    const std::size_t ran = run.block_ends.size();
    const auto clocks = double(run.clocks);
    if (ran == 0) return clocks;
    const bool follow = others_follow(run, of, gpu);
    // As many of those that ran come to what the multiprocessor does.
    const double blocks =
        ways_over_run_ * (follow ? of.parts * double(blocks_of_one(blocks_, gpu.multiprocessors)) * of.work
                                 : double(ran) * whole_over_traced_);
    if (blocks <= double(ran)) return clocks;
    // A block's share of the clocks in which every place is taken, by the instructions that are issued in
    // them, where there are such; no less than the busiest part works for it. Where no block follows those
    // that ran, of all clocks since then: what one warp is behind another at the end grows with what is left
    // of both.
    const double block = double(run.issued) / double(ran);
    const auto share_of = [&](std::int64_t in_clocks, std::int64_t issued) {
        return double(issued) >= block ? double(in_clocks) * block / double(issued) : clocks / double(ran);
    };
    const double share = follow ? share_of(run.full_clocks, run.full_issued)
                                : share_of(run.clocks - run.begin_clocks, run.issued - run.begin_issued);
    const double each = std::max(share, *std::max_element(run.busy.begin(), run.busy.end()) / double(ran));
    return clocks + (blocks - double(ran)) * each;
}

LaunchAtomics TracedKernel::atomics() const {
    return {trace_, traced_blocks_, blocks_, whole_over_traced_};
}

// Of a multiprocessor's blocks of the whole launch: those that ran, and as many more as there are, by what
// went on while every place was taken; where none follows those that ran, by all of it, or, of shortened
// ways, by what went on once they were no longer in step.
std::vector<StateClocks> TracedKernel::at_lines(const ClockRun& run, Ran of, const GpuProfile& gpu) const {
    const bool follow = others_follow(run, of, gpu);
    const auto ran = std::int64_t(std::max<std::size_t>(1, run.block_ends.size()));
    const bool by_full = follow || (load_.in_step > 0 && run.full_issued >= run.issued / ran);
    const std::vector<StateClocks>& going_on = by_full ? run.full_by_instruction : run.by_instruction;
    const auto clocks = double(by_full ? run.full_clocks : run.clocks);
    const double more = clocks > 0 ? (all_clocks(run, of, gpu) - double(run.clocks)) / clocks : 0;
    std::vector<StateClocks> made;
    for (std::size_t i = 0; i < run.by_instruction.size(); ++i) {
        const auto line = std::size_t(code_.instructions[i].line);
        if (line >= made.size()) made.resize(line + 1);
        for (std::size_t state = 0; state < kWarpStates; ++state) {
            made[line][state] += run.by_instruction[i][state];
            if (more > 0) made[line][state] += std::llround(more * double(going_on[i][state]));
        }
    }
    return made;
}

// With so many blocks resident; 0: as many as fit.
ClockLoad TracedKernel::load_of(int blocks, const GpuProfile& gpu, const ClockRates& rates) const {
    ClockLoad load = load_;
    const int most = occupancy_.active_blocks;
    load.resident_blocks = blocks <= 0 ? most : std::min(blocks, most);
    if (std::size_t(load.resident_blocks) < load.blocks.size()) load.in_step = 0;  // others begin later
    const KernelResources& block = occupancy_.resources;
    load.l1_bytes =
        l1_bytes(gpu.limits, block.cache, block.shared_bytes,
                 std::uint64_t(load.resident_blocks) * std::uint64_t(occupancy_.shared_per_block));
    // For each request of a multiprocessor's warps: they wait for those of all others.
    const LaunchAtomics all = atomics();
    const double here = double(blocks_of_one(blocks_, gpu.multiprocessors));
    const double requests = all.of_a_block() * here;
    load.slice_clocks = requests > 0 ? all.clocks(rates) / requests : 0;
    load.hot_slices = all.hot_slices(rates);
    load.slice_round = load.slice_clocks * all.of_a_block() * std::min(here, double(load.resident_blocks));
    return load;
}

bool TracedKernel::runs_few_of_many_rounds(const GpuProfile& gpu) const {
    const double round = occupancy_.active_blocks;
    const auto run = double(load_.blocks.size());
    return run >= round && run <= kFewRounds * round &&
           double(blocks_of_one(blocks_, gpu.multiprocessors)) >= kManyRounds * round;
}

// As many blocks resident as fit; few of many rounds begin as in the middle of a launch.
TracedKernel::LaunchLoad TracedKernel::load_of_launch(const GpuProfile& gpu, const ClockRates& rates) const {
    LaunchLoad made{load_of(0, gpu, rates), {1, work_of_a_block_}};
    if (runs_few_of_many_rounds(gpu))
        made.of.parts = stagger(made.load.blocks, code_, std::size_t(made.load.resident_blocks));
    return made;
}

std::vector<StateClocks> TracedKernel::sampled_lines(const GpuProfile& gpu) const {
    const ClockRates rates = clock_rates(gpu);
    auto [load, of] = load_of_launch(gpu, rates);
    SpanLog log;
    load.log = &log;
    return at_lines(log.as_sampled(run_clock(load, rates)), of, gpu);
}

ClockedLaunch TracedKernel::launch(const GpuProfile& gpu) const {
    const ClockRates rates = clock_rates(gpu);
    const double atomic_clocks = atomics().clocks(rates);
    // What latencies alone come to is the same in every round.
    ClockLoad endless = load_of(0, gpu, rates);
    endless.only_latencies = true;
    endless.blocks.resize(std::min(endless.blocks.size(), std::size_t(endless.resident_blocks)));
    const double more = steps_of_a_block(load_.blocks) / steps_of_a_block(endless.blocks);
    const Ran of_latencies{1, work_of_a_block_ * more};
    std::future<ClockRun> beside = std::async(std::launch::async, [&] { return run_clock(endless, rates); });
    const auto [load, of] = load_of_launch(gpu, rates);
    const ClockRun run = run_clock(load, rates);
    const ClockRun latencies = beside.get();
    const double clocks_per_ms = gpu.clock_mhz * 1e3;
    ClockedLaunch made;
    made.launch_ms = rates.launch_us / 1e3;
    made.ms = std::max(all_clocks(run, of, gpu), atomic_clocks) / clocks_per_ms + made.launch_ms;
    const auto ran = double(std::max<std::size_t>(1, run.block_ends.size()));
    // As many of the traced blocks come to what the launch does.
    const double blocks = of.parts * double(blocks_) * of.work * ways_over_run_;
    // On average of all multiprocessors, as profilers count: some have fewer blocks, or none.
    const double times = blocks / (ran * std::max(1, gpu.multiprocessors));
    for (std::size_t part = 0; part < kParts; ++part) {
        const bool waits = Part(part) == Part::latency;
        const double ms =
            waits ? std::max(all_clocks(latencies, of_latencies, gpu), atomic_clocks) / clocks_per_ms +
                        made.launch_ms
                  : times * run.busy[part] / clocks_per_ms;
        if (ms > 0) made.bounds.push_back(bound_of(Part(part), std::min(ms, made.ms)));
    }
    made.at_line = at_lines(run, of, gpu);
    made.instructions = blocks / ran * double(run.issued);
    const double sectors = run.moved.from_memory + run.moved.to_memory;
    made.moved_bytes = std::max(blocks / ran * sectors * double(kSectorBytes), least_moved_);
    return made;
}

ClockedKernel TracedKernel::run(int blocks, const GpuProfile& gpu) const {
    const ClockRates rates = clock_rates(gpu);
    // More may fit than the launch has for a multiprocessor.
    const auto here = blocks_of_one(blocks_, gpu.multiprocessors);
    const int most = int(std::min(std::uint64_t(std::max(0, occupancy_.active_blocks)), here));
    const bool all = blocks <= 0 || blocks >= most;
    ClockLoad load = load_of(all ? 0 : blocks, gpu, rates);
    load.timeline_clocks = kTimelineClocks;
    ClockRun run = run_clock(load, rates);
    ClockedKernel made;
    made.key = {key_.counts, key_.bytes_between, blocks};
    made.blocks = all ? most : blocks;
    made.most_blocks = most;
    made.warps_per_block = occupancy_.warps_per_block;
    made.schedulers = load.schedulers;
    made.timeline = std::move(run.timeline);
    for (const MachineInstruction& instruction : code_.instructions) {
        made.names.push_back(instruction.name);
        made.lines.push_back(instruction.line);
    }
    made.at_line = at_lines(run, {1, work_of_a_block_}, gpu);
    return made;
}

}  // namespace ws
