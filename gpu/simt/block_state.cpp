#include "gpu/simt/block_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gpu/core/background.h"
#include "gpu/simt/launch_memory.h"
#include "gpu/simt/report.h"

namespace ws::simt {
namespace {

constexpr std::size_t kSharedAlign = 64;
constexpr std::uint64_t kStepsBetweenLooks = 1 << 16;

std::uint64_t aligned(std::uint64_t at, std::uint64_t align) {
    return (at + align - 1) / align * align;
}

// Of all frames; some of the bytes are there to align the first.
std::size_t frame_bytes_of(const WarpState& warp) {
    return warp.frames.size() - kSharedAlign;
}

int threads_in(const Shape& block) {
    return block[0] * block[1] * block[2];
}

}  // namespace

std::size_t BlockSnapshot::size_bytes() const {
    std::size_t sum = sizeof *this + shared.size();
    for (const OfWarp& warp : warps)
        sum += sizeof warp + warp.frames.size() + warp.local.size() + warp.paths.size() * sizeof(Path);
    return sum;
}

BlockState::BlockState(const LaunchContext& with, const BoundProgram& program, LaunchMemory& memory,
                       LaunchLogs& logs)
    : context(with), bound(program), findings(logs.findings) {
    const KernelLaunch& launch = context.launch;
    const std::uint64_t shared_bytes = shared_bytes_of(launch);
    shared_.resize(shared_bytes + kSharedAlign);
    const auto address = reinterpret_cast<std::uintptr_t>(shared_.data());
    worker.shared = {shared_.data() + (aligned(address, kSharedAlign) - address), shared_bytes};
    worker.regions = &memory.regions();
    worker.constants = &memory.constants();
    worker.local_bytes = aligned(bound.program.local_bytes, 16);
    worker.patterns.resize(bound.program.memory_instructions);
    worker.partial_patterns.resize(bound.program.memory_instructions);
    worker.findings = &findings;
    worker.copies = &copies_;
    worker.prints = &logs.prints;
    worker.heap.memory = memory.heap();
    worker.heap.region = &memory.heap_region();
    worker.heap.launches = context.launches;
    worker.textures = &context.textures;
    for (std::size_t i = 0; i < 3; ++i) worker.place.shape[i] = launch.block[i];
    warps.resize(std::size_t((threads_in(launch.block) + kLanes - 1) / kLanes));
    for (std::size_t i = 0; i < warps.size(); ++i) {
        WarpState& warp = warps[i];
        warp.local.resize(worker.local_bytes * kLanes);
        warp.warp.worker = &worker;
        warp.warp.index = int(i);
        warp.warp.local = warp.local.data();
        prepare_frames(context, shared_bytes, warp, int(i));
    }
}

void BlockState::begin_block(std::uint64_t linear_index, std::uint64_t turn) {
    const auto across = std::uint64_t(context.launch.grid[0]);
    const auto down = std::uint64_t(context.launch.grid[1]);
    worker.place.block[0] = int(linear_index % across);
    worker.place.block[1] = int(linear_index / across % down);
    worker.place.block[2] = int(linear_index / across / down);
    worker.place.linear_block = linear_index;
    worker.place.turn = turn;
    worker.steps = 0;
    stopped = false;
    look_again_at_ = 0;
    watched_since_.reset();
    const int threads = threads_in(context.launch.block);
    if (context.options.trace.trace) forget_what_blocks_left();
    copies_.begin_block(warps.size(), worker.shared.data(), worker.shared.size());
    barriers.begin_block(int(warps.size()));
    const auto multiprocessors = std::uint64_t(std::max(1, context.gpu.multiprocessors));
    for (std::size_t i = 0; i < warps.size(); ++i) {
        WarpState& state = warps[i];
        const int lanes = std::min(kLanes, threads - int(i) * kLanes);
        state.warp.live = lanes == kLanes ? kAllLanes : (1u << lanes) - 1;
        state.warp.ending = 0;
        state.state = WarpState::State::ready;
        state.at = 0;
        set_frame(state, 0);
        state.paths.assign(1, Path{0, 0, -1, state.warp.live, -1, 0});
        // Most are what they were in the block before.
        const auto fill = [&](Special special, std::uint64_t value) {
            if (*slot<std::uint32_t>(state.warp, offset_of(special)) != value)
                fill_slot(state.warp.frame, offset_of(special), value, false);
        };
        fill(Special::ctaid_x, std::uint64_t(worker.place.block[0]));
        fill(Special::ctaid_y, std::uint64_t(worker.place.block[1]));
        fill(Special::ctaid_z, std::uint64_t(worker.place.block[2]));
        fill(Special::smid, linear_index % multiprocessors);
    }
}

// Who reads what no thread of the block has written would otherwise see what the worker ran before.
void BlockState::forget_what_blocks_left() {
    std::fill(worker.shared.begin(), worker.shared.end(), std::byte{0});
    for (WarpState& warp : warps) std::fill(warp.local.begin(), warp.local.end(), std::byte{0});
}

bool BlockState::any_ready() const {
    return std::any_of(warps.begin(), warps.end(),
                       [](const WarpState& warp) { return warp.state == WarpState::State::ready; });
}

int BlockState::running() const {
    return int(std::count_if(warps.begin(), warps.end(),
                             [](const WarpState& warp) { return warp.state != WarpState::State::done; }));
}

void BlockState::report_divergent_barrier(const WarpState& warp, int line, std::uint32_t arriving) const {
    const int lane = std::countr_zero(warp.warp.live & ~arriving);
    const std::uint64_t order = order_of(worker, warp.warp.index * kLanes + lane);
    if (!findings.wants(Finding::Kind::divergent_barrier, line, order)) return;
    findings.add(
        Finding::Kind::divergent_barrier, line, order,
        fmt::format("{} of the warp's {} threads reach the barrier, thread {} does not, line {}, block "
                    "({}, {}, {}), warp {}",
                    std::popcount(arriving), std::popcount(warp.warp.live), warp.warp.index * kLanes + lane,
                    line, worker.place.block[0], worker.place.block[1], worker.place.block[2],
                    warp.warp.index));
}

Barriers::Arrival BlockState::arrival(const WarpState& warp, const Instruction& control,
                                      std::uint32_t lanes) const {
    const int lane = std::countr_zero(lanes);
    const auto value = [&](std::int32_t offset) {
        return offset >= 0 ? slot<std::uint32_t>(warp.warp, offset)[lane] : 0;
    };
    Barriers::Arrival made{detail_of<BarrierUse>(control).kind,
                           value(control.a),
                           value(control.b),
                           warp.warp.index,
                           control.line,
                           int(&control - bound.code.data()),
                           lanes,
                           0};
    if (control.c >= 0) {
        const std::uint32_t predicate = *slot<std::uint32_t>(warp.warp, control.c);
        made.yes = (detail_of<BarrierUse>(control).negated ? ~predicate : predicate) & lanes;
    }
    return made;
}

void BlockState::release(const Barriers::Passage& passage) {
    for (const Barriers::Arrival& arrival : passage.waiting) {
        WarpState& warp = warps[std::size_t(arrival.warp)];
        warp.state = WarpState::State::ready;
        const Instruction& control = bound.code[std::size_t(arrival.control)];
        if (arrival.kind == BarrierKind::popc) {
            for (std::uint32_t rest = arrival.lanes; rest != 0; rest &= rest - 1)
                slot<std::uint32_t>(warp.warp, control.d)[std::countr_zero(rest)] = passage.yes;
        } else if (arrival.kind != BarrierKind::sync) {
            const bool holds = arrival.kind == BarrierKind::all ? passage.yes == passage.of : passage.yes > 0;
            std::uint32_t& d = *slot<std::uint32_t>(warp.warp, control.d);
            d = (d & ~arrival.lanes) | (holds ? arrival.lanes : 0);
        }
    }
}

bool BlockState::look_again(const BasicBlock& block) {
    look_again_at_ = worker.steps + kStepsBetweenLooks;
    const bool cancelled = context.options.cancel && *context.options.cancel;
    if (!cancelled && worker.steps <= context.options.step_limit && !out_of_time()) return true;
    if (cancelled)
        stopped = true;
    else
        stop_endless(block);
    return false;
}

// A block of few steps never asks for the time.
bool BlockState::out_of_time() {
    if (worker.steps < kStepsBetweenLooks) return false;
    const double now = processor_seconds();
    if (!watched_since_) watched_since_ = now;
    return now - *watched_since_ > context.options.block_seconds;
}

void BlockState::stop_endless(const BasicBlock& block) {
    const int line = block.last > block.first ? bound.code[std::size_t(block.first)].line : 0;
    const std::string time = worker.steps > context.options.step_limit
                                 ? ""
                                 : fmt::format("{:g} s and ", context.options.block_seconds);
    stop(fmt::format("stopped after {}{} steps of one block: an endless loop?", time,
                     std::min(worker.steps, context.options.step_limit)),
         line);
}

BlockSnapshot BlockState::save() const {
    BlockSnapshot made;
    for (const WarpState& warp : warps) {
        const std::byte* frames = warp.warp.frame - warp.frame;
        made.warps.push_back({{frames, frames + frame_bytes_of(warp)},
                              warp.local,
                              warp.paths,
                              warp.state,
                              warp.at,
                              warp.frame,
                              warp.warp.live,
                              warp.warp.ending});
    }
    made.shared.assign(worker.shared.begin(), worker.shared.end());
    made.barriers = barriers;
    made.copies = copies_;
    made.fault = worker.fault;
    made.steps = worker.steps;
    made.stopped = stopped;
    return made;
}

void BlockState::restore(const BlockSnapshot& saved) {
    for (std::size_t i = 0; i < warps.size(); ++i) {
        const BlockSnapshot::OfWarp& from = saved.warps[i];
        WarpState& warp = warps[i];
        // Frames only ever grow: what is executed again lets them grow again.
        warp.frames.resize(from.frames.size() + kSharedAlign);
        std::copy(from.frames.begin(), from.frames.end(), warp.warp.frame - warp.frame);
        std::copy(from.local.begin(), from.local.end(), warp.local.begin());
        warp.paths = from.paths;
        warp.state = from.state;
        warp.at = from.at;
        warp.warp.live = from.live;
        warp.warp.ending = from.ending;
        set_frame(warp, from.frame);
    }
    std::copy(saved.shared.begin(), saved.shared.end(), worker.shared.begin());
    barriers = saved.barriers;
    copies_ = saved.copies;
    worker.fault = saved.fault;
    worker.steps = saved.steps;
    stopped = saved.stopped;
    look_again_at_ = 0;
}

void BlockState::stop(const std::string& message, int line) {
    stopped = true;
    findings.add(Finding::Kind::stopped, line, 0,
                 fmt::format("{}, line {}, block ({}, {}, {})", message, line, worker.place.block[0],
                             worker.place.block[1], worker.place.block[2]));
}

}  // namespace ws::simt
