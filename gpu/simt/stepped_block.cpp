#include "gpu/simt/stepped_block.h"

#include <algorithm>
#include <numeric>

#include "gpu/core/error.h"
#include "gpu/simt/block_runner.h"
#include "gpu/simt/launch_limits.h"
#include "gpu/simt/launch_memory.h"
#include "gpu/simt/observer_sets.h"
#include "gpu/simt/places.h"

namespace ws::simt {
namespace {

// As the launch itself would end by them: a person may take as long as he likes.
LaunchOptions options_of_block() {
    LaunchOptions options;
    options.count = false;
    options.check = true;
    options.step_limit = ~0ull;
    options.block_seconds = 1e18;
    options.threads = 1;
    return options;
}

BoundProgram bound_for_debugging(const Program& program) {
    BoundProgram made{program, program.code};
    for (Instruction& instruction : made.code) {
        if (!instruction.observed) continue;
        const Handlers& handlers = instruction.observed->of[index_of_observer<Debugging>()];
        instruction.full = handlers.full;
        instruction.partial = handlers.partial;
    }
    return made;
}

}  // namespace

struct SteppedBlock::Parts {
    Parts(GpuProfile of, const KernelLaunch& staged, const std::vector<Texture>& with, DeviceMemory& buffers,
          ModuleVariables& variables, DeviceHeap& given_heap, bool with_heap)
        : profile(std::move(of)),
          launch(staged),
          options(options_of_block()),
          textures(with),
          heap(given_heap),
          uses_heap(with_heap),
          memory(buffers, variables, given_heap, with_heap),
          context{profile, launch, options, textures},
          bound(bound_for_debugging(*launch.program)),
          shared(context, memory, logs.findings) {}

    void run_before(const SteppedOptions& wanted) {
        LaunchOptions before;
        before.count = false;
        before.step_limit = wanted.step_limit;
        before.cancel = wanted.cancel;
        before.blocks.resize(wanted.block);
        std::iota(before.blocks.begin(), before.blocks.end(), std::uint64_t(0));
        const LaunchOutcome outcome = run_grid({profile, launch, before, textures}, memory);
        printed_before = outcome.printed;
        if (outcome.cancelled) throw Error("interrupted while the blocks before ran");
        if (outcome.stopped)
            throw Error("a block before does not end: " + outcome.counters.findings.front().message);
    }

    GpuProfile profile;
    KernelLaunch launch;
    LaunchOptions options;
    std::vector<Texture> textures;
    DeviceHeap& heap;
    bool uses_heap;
    LaunchMemory memory;
    LaunchContext context;
    BoundProgram bound;
    LaunchLogs logs;
    PrintSink unheard;
    std::string printed_before;
    Debugging::Shared shared;
    std::unique_ptr<BlockRunner<Debugging>> runner;
};

SteppedBlock::SteppedBlock(Gpu& gpu, const KernelLaunch& launch, const SteppedOptions& options) {
    refuse_impossible(gpu.profile_, launch);
    parts_ = std::make_unique<Parts>(gpu.profile_, launch, gpu.textures_, gpu.memory_,
                                     gpu.variables_of(*launch.program), gpu.heap_,
                                     launch.program->uses_heap || gpu.heap_.is_used());
    if (options.runs_before && options.block > 0) parts_->run_before(options);
    parts_->runner = std::make_unique<BlockRunner<Debugging>>(parts_->context, parts_->bound, parts_->memory,
                                                              parts_->logs, parts_->shared);
    parts_->runner->begin(options.block, 0);
}

SteppedBlock::~SteppedBlock() = default;

const KernelLaunch& SteppedBlock::launch() const {
    return parts_->launch;
}

const BlockState& SteppedBlock::state() const {
    return parts_->runner->state();
}

void SteppedBlock::step(int warp, bool again) {
    BlockState& state = parts_->runner->state();
    // The observer is the only part of its set.
    Debugging& observer = parts_->runner->observer();
    auto& watch = observer.part<DebugWatch>();
    watch.forget_writes();
    watch.set_checks(!again);
    state.worker.prints = again ? &parts_->unheard : &parts_->logs.prints;
    parts_->runner->step(state.warps[std::size_t(warp)]);
    if (!again && state.all_done()) parts_->runner->end();
}

std::span<const LaneWrite> SteppedBlock::writes() const {
    return parts_->runner->observer().part<DebugWatch>().writes();
}

int SteppedBlock::next_instruction(int warp) const {
    return places(warp).front().instruction;
}

std::vector<LanePlace> SteppedBlock::places(int warp) const {
    const BlockState& block = state();
    const WarpState& of = block.warps[std::size_t(warp)];
    const std::vector<Function>& functions = program().functions;
    if (of.state == WarpState::State::done || of.paths.empty()) {
        // The end of the kernel's text.
        int last = 0;
        for (const BasicBlock& one : functions.front().blocks)
            last = std::max({last, one.last - 1, one.control});
        return {{0, last, 0, 0, 0, false}};
    }
    const auto first_of = [&](const Path& path, int at) {
        const Function& function = functions[std::size_t(path.function)];
        for (int index = path.block; index >= 0; at = 0) {
            const BasicBlock& one = function.blocks[std::size_t(index)];
            if (one.first + at < one.last) return one.first + at;
            if (one.control >= 0) return one.control;
            if (one.next < 0) break;
            index = one.next;
        }
        // Behind the function's last instruction.
        int last = 0;
        for (const BasicBlock& one : function.blocks) last = std::max({last, one.last - 1, one.control});
        return last;
    };
    std::vector<LanePlace> made;
    std::uint32_t seen = 0;
    std::int64_t frame = of.frame;
    for (std::size_t i = of.paths.size(); i-- > 0;) {
        const Path& path = of.paths[i];
        const bool innermost = i + 1 == of.paths.size();
        const std::uint32_t lanes = path.mask & of.warp.live;
        made.push_back(
            {path.function, first_of(path, innermost ? of.at : 0), frame, lanes & ~seen, i, path.call >= 0});
        seen |= lanes;
        if (path.call >= 0) frame = path.caller_frame;
    }
    if (of.state != WarpState::State::waiting) return made;
    for (std::uint32_t id = 0; id < Barriers::kCount; ++id) {
        for (const Barriers::Arrival& arrival : block.barriers.waiting(id)) {
            if (arrival.warp == warp) made.front().instruction = arrival.control;
        }
    }
    return made;
}

std::span<const std::byte> SteppedBlock::bytes_at(int warp, int lane, std::uint64_t address,
                                                  std::uint64_t bytes) const {
    const Worker& worker = state().worker;
    const auto within = [bytes](std::uint64_t at, std::uint64_t size) {
        return at <= size && bytes <= size - at;
    };
    switch (space_of(address)) {
        case Space::shared: {
            const std::uint64_t at = address - kSharedWindow;
            if (!within(at, worker.shared.size())) return {};
            return worker.shared.subspan(at, bytes);
        }
        case Space::local: {
            const std::uint64_t at = address - kLocalWindow;
            if (!within(at, worker.local_bytes)) return {};
            const WarpState& of = state().warps[std::size_t(warp)];
            return {of.local.data() + std::uint64_t(lane) * worker.local_bytes + at, bytes};
        }
        case Space::constant: {
            const Region& constants = parts_->memory.constants();
            const std::uint64_t at = address - constants.base;
            if (address < constants.base || !within(at, constants.size)) return {};
            return {constants.data + at, bytes};
        }
        default:
            break;
    }
    for (const Region& region : parts_->memory.regions()) {
        if (address < region.base || !within(address - region.base, region.size)) continue;
        return {region.data + (address - region.base), bytes};
    }
    if (parts_->uses_heap && address - kHeapBase < DeviceHeap::kBytes) {
        if (const std::byte* place = parts_->heap.at(address, bytes)) return {place, bytes};
    }
    return {};
}

std::size_t SteppedBlock::finding_count() const {
    return parts_->logs.findings.size();
}

std::vector<Finding> SteppedBlock::findings() const {
    return parts_->logs.findings.take();
}

std::string SteppedBlock::printed() const {
    return parts_->printed_before + parts_->logs.prints.text();
}

std::size_t SteppedBlock::Snapshot::size_bytes() const {
    return block.size_bytes() + (heap.is_used() ? DeviceHeap::kBytes : 0);
}

SteppedBlock::Snapshot SteppedBlock::save() const {
    return {state().save(), parts_->uses_heap ? parts_->heap : DeviceHeap{}};
}

void SteppedBlock::restore(const Snapshot& saved) {
    parts_->runner->state().restore(saved.block);
    if (parts_->uses_heap) parts_->heap = saved.heap;
}

}  // namespace ws::simt
