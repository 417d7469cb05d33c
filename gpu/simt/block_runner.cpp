#include "gpu/simt/block_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>

#include "gpu/simt/places.h"
#include "gpu/simt/report.h"

namespace ws::simt {
namespace {

constexpr std::size_t kFrameAlign = 64;
constexpr int kDeepestCall = 64;
constexpr std::size_t kMostFrameBytes = 256 << 20;  // of a warp
constexpr std::uint64_t kStepsBetweenLooks = 1 << 16;
// Of a warp; then the others get theirs, for which it may wait.
constexpr std::uint64_t kStepsOfATurn = 1 << 20;

std::uint64_t aligned(std::uint64_t at, std::uint64_t align) {
    return (at + align - 1) / align * align;
}

void fill(std::byte* frame, std::int32_t offset, std::uint64_t bits, bool wide) {
    if (wide) {
        std::fill_n(reinterpret_cast<std::uint64_t*>(frame + offset), kLanes, bits);
    } else {
        std::fill_n(reinterpret_cast<std::uint32_t*>(frame + offset), kLanes, std::uint32_t(bits));
    }
}

// Most masks are full, and counting bits is a call where the compiler may not use the instruction.
std::uint64_t lanes_in(std::uint32_t mask) {
    return mask == kAllLanes ? kLanes : std::uint64_t(std::popcount(mask));
}

std::byte* aligned_start(std::vector<std::byte>& bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    return bytes.data() + (aligned(address, kFrameAlign) - address);
}

// Whether nothing is left to do from the block on.
bool only_ends(const Program& program, const BasicBlock& block) {
    if (block.first != block.last || (block.flow != Flow::leave && block.flow != Flow::exit)) return false;
    if (block.control < 0) return true;
    const Instruction& control = program.code[std::size_t(block.control)];
    return control.guard < 0 && control.modifiers.variant == 0;
}

}  // namespace

BlockRunner::BlockRunner(const LaunchContext& context, LaunchMemory& memory, FindingLog& findings,
                         GridOrder* grid_order)
    : gpu_(context.gpu),
      launch_(context.launch),
      options_(context.options),
      program_(*context.launch.program),
      findings_(findings) {
    const std::uint64_t dynamic_at = launch_.dynamic_shared_bytes
                                         ? aligned(program_.static_shared_bytes, program_.shared_align)
                                         : program_.static_shared_bytes;
    worker_.shared_bytes = dynamic_at + launch_.dynamic_shared_bytes;
    shared_.resize(worker_.shared_bytes + kFrameAlign);
    worker_.shared = aligned_start(shared_);
    worker_.regions = &memory.regions();
    worker_.constants = &memory.constants();
    worker_.local_bytes = aligned(program_.local_bytes, 16);
    worker_.patterns.resize(program_.memory_instructions);
    worker_.rules = access_rules(gpu_.limits.capability, launch_.banks);
    worker_.findings = &findings;
    worker_.textures = &context.textures;
    for (std::size_t i = 0; i < 3; ++i) worker_.block_shape[i] = launch_.block[i];
    if (options_.count) {
        sites_.resize(program_.code.size());
        worker_.sites = sites_.data();
    }
    if (options_.check) {
        worker_.shadow = &shadow_;
        worker_.copies = &copies_;
        worker_.grid_order = grid_order;
    }
    for (const Function& function : program_.functions) counts_.emplace_back(function.blocks.size());
    prepare_warps();
}

void BlockRunner::prepare_warps() {
    const int threads = launch_.block[0] * launch_.block[1] * launch_.block[2];
    warps_.resize(std::size_t((threads + kLanes - 1) / kLanes));
    const Function& kernel = program_.functions.front();
    for (std::size_t i = 0; i < warps_.size(); ++i) {
        WarpState& warp = warps_[i];
        warp.frames.resize(std::size_t(kernel.frame_bytes) + kFrameAlign);
        warp.local.resize(worker_.local_bytes * kLanes);
        warp.warp.worker = &worker_;
        warp.warp.index = int(i);
        warp.warp.local = warp.local.data();
        set_frame(warp, 0);
        fill_specials(warp, int(i));
        fill_constants(kernel, warp.warp.frame);
    }
}

void BlockRunner::set_frame(WarpState& warp, std::int64_t offset) const {
    warp.frame = offset;
    warp.warp.frame = aligned_start(warp.frames) + offset;
}

void BlockRunner::fill_specials(WarpState& state, int index) const {
    std::byte* frame = state.warp.frame;
    const auto set = [&](Special special, std::uint64_t value) {
        fill(frame, offset_of(special), value, false);
    };
    for (int lane = 0; lane < kLanes; ++lane) {
        const int thread = index * kLanes + lane;
        const auto put = [&](Special special, std::uint32_t value) {
            reinterpret_cast<std::uint32_t*>(frame + offset_of(special))[lane] = value;
        };
        put(Special::tid_x, std::uint32_t(thread % launch_.block[0]));
        put(Special::tid_y, std::uint32_t(thread / launch_.block[0] % launch_.block[1]));
        put(Special::tid_z, std::uint32_t(thread / launch_.block[0] / launch_.block[1]));
        put(Special::laneid, std::uint32_t(lane));
        put(Special::lanemask_eq, 1u << lane);
        put(Special::lanemask_lt, (1u << lane) - 1);
        put(Special::lanemask_le, (2u << lane) - 1);
        put(Special::lanemask_ge, ~((1u << lane) - 1));
        put(Special::lanemask_gt, ~((2u << lane) - 1));
    }
    set(Special::ntid_x, std::uint64_t(launch_.block[0]));
    set(Special::ntid_y, std::uint64_t(launch_.block[1]));
    set(Special::ntid_z, std::uint64_t(launch_.block[2]));
    set(Special::nctaid_x, std::uint64_t(launch_.grid[0]));
    set(Special::nctaid_y, std::uint64_t(launch_.grid[1]));
    set(Special::nctaid_z, std::uint64_t(launch_.grid[2]));
    set(Special::warpid, std::uint64_t(index));
    set(Special::nwarpid, std::uint64_t(gpu_.limits.warps_per_multiprocessor));
    set(Special::nsmid, std::uint64_t(std::max(1, gpu_.multiprocessors)));
    set(Special::dynamic_smem, launch_.dynamic_shared_bytes);
    set(Special::total_smem, worker_.shared_bytes);
    set(Special::zero, 0);
}

void BlockRunner::fill_constants(const Function& function, std::byte* frame) const {
    for (const SlotConstant& constant : function.constants)
        fill(frame, constant.offset, constant.bits, constant.wide);
    for (const SlotParameter& parameter : function.parameters) {
        std::uint64_t bits = 0;
        if (parameter.at + parameter.bytes <= launch_.parameters.size())
            std::memcpy(&bits, launch_.parameters.data() + parameter.at, parameter.bytes);
        const int unused = 64 - 8 * parameter.bytes;
        if (parameter.is_signed) bits = std::uint64_t(std::int64_t(bits << unused) >> unused);
        fill(frame, parameter.offset, bits, parameter.wide);
    }
}

void BlockRunner::begin_block(std::uint64_t linear_index) {
    const auto across = std::uint64_t(launch_.grid[0]);
    const auto down = std::uint64_t(launch_.grid[1]);
    worker_.block[0] = int(linear_index % across);
    worker_.block[1] = int(linear_index / across % down);
    worker_.block[2] = int(linear_index / across / down);
    worker_.linear_block = linear_index;
    worker_.read_flags.clear();
    worker_.steps = 0;
    look_again_at_ = 0;
    watched_since_.reset();
    worker_.examples = linear_index == options_.example_block && options_.count ? &examples_ : nullptr;
    if (worker_.examples) worker_.exampled.assign(program_.code.size(), false);
    const int threads = launch_.block[0] * launch_.block[1] * launch_.block[2];
    if (worker_.shadow) {
        shadow_.begin_block(worker_.shared_bytes, threads);
        copies_.begin_block(threads);
    }
    barriers_.begin_block(int(warps_.size()));
    for (std::size_t i = 0; i < warps_.size(); ++i) {
        WarpState& state = warps_[i];
        const int lanes = std::min(kLanes, threads - int(i) * kLanes);
        state.warp.live = lanes == kLanes ? kAllLanes : (1u << lanes) - 1;
        state.warp.ending = 0;
        state.state = State::ready;
        set_frame(state, 0);
        state.paths.assign(1, Path{0, 0, -1, state.warp.live, -1, 0});
        for (const auto& [special, at] :
             {std::pair{Special::ctaid_x, 0}, {Special::ctaid_y, 1}, {Special::ctaid_z, 2}})
            fill(state.warp.frame, offset_of(special), std::uint64_t(worker_.block[at]), false);
        fill(state.warp.frame, offset_of(Special::smid),
             linear_index % std::uint64_t(std::max(1, gpu_.multiprocessors)), false);
    }
}

BlockRunner::Ending BlockRunner::run(std::uint64_t linear_index) {
    begin_block(linear_index);
    stopped_ = false;
    while (!stopped_) {
        for (WarpState& warp : warps_) {
            if (warp.state == State::ready) run_warp(warp);
            if (stopped_) break;
        }
        if (stopped_ || all_done()) break;
        const bool any_ready = std::any_of(warps_.begin(), warps_.end(),
                                           [](const WarpState& warp) { return warp.state == State::ready; });
        if (!any_ready && !release_barriers()) break;
    }
    if (worker_.shadow) report_doubts(worker_);
    return stopped_ ? Ending::stopped : Ending::finished;
}

bool BlockRunner::all_done() const {
    return std::all_of(warps_.begin(), warps_.end(),
                       [](const WarpState& warp) { return warp.state == State::done; });
}

std::uint32_t BlockRunner::guarded(const WarpState& warp, const Instruction& instruction,
                                   std::uint32_t mask) const {
    if (instruction.guard < 0) return mask;
    const std::uint32_t predicate = *slot<std::uint32_t>(warp.warp, instruction.guard);
    return mask & (instruction.guard_negated ? ~predicate : predicate);
}

void BlockRunner::run_instructions(WarpState& state, const BasicBlock& block, std::uint32_t mask) {
    Warp& warp = state.warp;
    warp.mask = mask;
    const Instruction* instruction = program_.code.data() + block.first;
    const Instruction* end = program_.code.data() + block.last;
    const bool full = mask == kAllLanes;
    for (; instruction != end; ++instruction) {
        if (instruction->guard >= 0) [[unlikely]] {
            warp.mask = guarded(state, *instruction, mask);
            if (worker_.sites) {
                SiteCounts& site = sites_[std::size_t(instruction->site)];
                ++site.guarded;
                site.guarded_lanes += lanes_in(warp.mask);
            }
            if (warp.mask == kAllLanes)
                instruction->full(warp, *instruction);
            else if (warp.mask != 0)
                instruction->partial(warp, *instruction);
            warp.mask = mask;
        } else if (full) {
            instruction->full(warp, *instruction);
        } else {
            instruction->partial(warp, *instruction);
        }
    }
}

// Leaves paths that have reached their reconvergence point or whose lanes are gone.
void BlockRunner::settle(WarpState& warp) const {
    while (!warp.paths.empty()) {
        Path& top = warp.paths.back();
        top.mask &= warp.warp.live;
        if (top.mask != 0 && (top.reconverge < 0 || top.block != top.reconverge)) return;
        if (top.mask == 0 && top.call >= 0) set_frame(warp, top.caller_frame);
        if (top.mask != 0) wait_at(warp, top.function, top.reconverge, top.mask);
        warp.paths.pop_back();
    }
    warp.state = State::done;
}

// Lanes that wait for others at a block with nothing left to do count as ended.
void BlockRunner::wait_at(WarpState& warp, int function, int block, std::uint32_t lanes) const {
    if (function == 0 && only_ends(program_, program_.functions.front().blocks[std::size_t(block)]))
        warp.warp.ending |= lanes;
}

void BlockRunner::run_warp(WarpState& warp) {
    const std::uint64_t turn_ends = worker_.steps + kStepsOfATurn;
    while (warp.state == State::ready && worker_.steps < turn_ends) {
        settle(warp);
        if (warp.state == State::done) return;
        Path& path = warp.paths.back();
        const Function& function = program_.functions[std::size_t(path.function)];
        const BasicBlock& block = function.blocks[std::size_t(path.block)];
        const std::uint32_t mask = path.mask;
        BlockCounts& counts = counts_[std::size_t(path.function)][std::size_t(path.block)];
        ++counts.executions;
        counts.lanes += lanes_in(mask);
        worker_.steps += block.weight + 1;
        if (worker_.steps >= look_again_at_) {
            look_again_at_ = worker_.steps + kStepsBetweenLooks;
            if (options_.cancel && *options_.cancel) {
                stopped_ = true;
                return;
            }
            if (out_of_time()) return stop_endless(block);
        }
        if (worker_.steps > options_.step_limit) return stop_endless(block);
        run_instructions(warp, block, mask);
        if (!worker_.fault.empty()) return stop(worker_.fault, worker_.fault_line);
        switch (block.flow) {
            case Flow::next:
                path.block = block.next;
                break;
            case Flow::branch:
                branch(warp, block, counts, mask);
                break;
            case Flow::list:
                branch_list(warp, block, counts, mask);
                break;
            case Flow::call:
                call(warp, block, mask);
                break;
            case Flow::leave:
                if (block.control >= 0) {
                    branch(warp, block, counts, mask);
                } else {
                    leave(warp, mask);
                }
                break;
            case Flow::exit: {
                const Instruction& control = program_.code[std::size_t(block.control)];
                const std::uint32_t leaving = guarded(warp, control, mask);
                if (leaving != 0 && control.modifiers.variant == 1)
                    return stop("the kernel reached a trap", control.line);
                warp.warp.live &= ~leaving;
                path.block = block.next;
                break;
            }
            case Flow::barrier:
                arrive_at_barrier(warp, block, mask);
                break;
        }
    }
}

void BlockRunner::branch(WarpState& warp, const BasicBlock& block, BlockCounts& counts, std::uint32_t mask) {
    Path& path = warp.paths.back();
    const std::uint32_t taken = guarded(warp, program_.code[std::size_t(block.control)], mask);
    if (taken == mask) {
        path.block = block.target;
    } else if (taken == 0) {
        path.block = block.next;
    } else {
        ++counts.divergent;
        diverge(warp, block, {{block.next, mask & ~taken}, {block.target, taken}});
    }
}

void BlockRunner::branch_list(WarpState& warp, const BasicBlock& block, BlockCounts& counts,
                              std::uint32_t mask) {
    const Instruction& control = program_.code[std::size_t(block.control)];
    std::vector<std::pair<int, std::uint32_t>> sides;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint32_t index = slot<std::uint32_t>(warp.warp, control.a)[lane];
        const int target = block.targets[std::min<std::size_t>(index, block.targets.size() - 1)];
        const auto known =
            std::find_if(sides.begin(), sides.end(), [&](const auto& side) { return side.first == target; });
        if (known == sides.end()) {
            sides.emplace_back(target, 1u << lane);
        } else {
            known->second |= 1u << lane;
        }
    }
    if (sides.size() == 1) {
        warp.paths.back().block = sides.front().first;
        return;
    }
    ++counts.divergent;
    diverge(warp, block, sides);
}

void BlockRunner::diverge(WarpState& warp, const BasicBlock& block,
                          const std::vector<std::pair<int, std::uint32_t>>& sides) {
    const Path path = warp.paths.back();
    const bool in_kernel = path.function == 0;
    const int exit_block = program_.functions[std::size_t(path.function)].exit_block;
    // The reconvergence point: the path itself waits there, unless the one below already does.
    if (path.reconverge == block.reconverge && path.call < 0) {
        warp.paths.pop_back();
    } else {
        warp.paths.back().block = block.reconverge;
    }
    for (const auto& [target, lanes] : sides) {
        if (in_kernel && target == exit_block) {
            warp.warp.live &= ~lanes;  // they are done, and no barrier waits for them
        } else if (target != block.reconverge) {
            warp.paths.push_back({path.function, target, block.reconverge, lanes, -1, 0});
        } else {
            wait_at(warp, path.function, target, lanes);
        }
    }
}

void BlockRunner::call(WarpState& warp, const BasicBlock& block, std::uint32_t mask) {
    const Instruction& control = program_.code[std::size_t(block.control)];
    Path& path = warp.paths.back();
    path.block = block.next;
    const std::uint32_t calling = guarded(warp, control, mask);
    if (calling == 0) return;
    const Function& caller = program_.functions[std::size_t(path.function)];
    const Call& call = caller.calls[std::size_t(control.immediate)];
    const Function& callee = program_.functions[std::size_t(call.function)];
    const std::int64_t here = warp.frame;
    const std::int64_t there = here + caller.frame_bytes;
    const auto needed = std::size_t(there) + std::size_t(callee.frame_bytes) + kFrameAlign;
    if (warp.paths.size() > kDeepestCall * 4 || needed > kMostFrameBytes)
        return stop("calls are nested too deeply", control.line);
    if (warp.frames.size() < needed) {
        // A larger frame stack: what lies in the old one moves along, wherever the new one's alignment
        // begins.
        std::vector<std::byte> larger(needed * 2);
        std::memcpy(aligned_start(larger), aligned_start(warp.frames), std::size_t(there));
        warp.frames = std::move(larger);
    }
    set_frame(warp, here);
    std::byte* from = warp.warp.frame;
    std::byte* to = from + caller.frame_bytes;
    std::memcpy(to, from, kSpecials * kSlot);
    fill_constants(callee, to);
    for (const ParameterCopy& copy : call.arguments) {
        for (int lane = 0; lane < kLanes; ++lane)
            std::memcpy(to + callee.lane_area + lane * callee.lane_stride + copy.callee,
                        from + caller.lane_area + lane * caller.lane_stride + copy.caller, copy.bytes);
    }
    warp.paths.push_back({call.function, 0, -1, calling, int(control.immediate), here});
    set_frame(warp, there);
}

// The end of a function: of the kernel, its lanes are done; of a device function, they return.
void BlockRunner::leave(WarpState& warp, std::uint32_t mask) {
    const Path path = warp.paths.back();
    if (path.function == 0) {
        warp.warp.live &= ~mask;
        return;
    }
    warp.paths.pop_back();
    if (path.call < 0) return;  // a part of the function's lanes: the others are still on their way
    const Function& callee = program_.functions[std::size_t(path.function)];
    const Function& caller = program_.functions[std::size_t(warp.paths.back().function)];
    const std::byte* from = warp.warp.frame;
    set_frame(warp, path.caller_frame);
    std::byte* to = warp.warp.frame;
    for (const ParameterCopy& copy : caller.calls[std::size_t(path.call)].results) {
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            std::memcpy(to + caller.lane_area + lane * caller.lane_stride + copy.caller,
                        from + callee.lane_area + lane * callee.lane_stride + copy.callee, copy.bytes);
        }
    }
}

void BlockRunner::report_divergent_barrier(const WarpState& warp, int line, std::uint32_t arriving) const {
    const int lane = std::countr_zero(warp.warp.live & ~arriving);
    const std::uint64_t order = order_of(worker_, warp.warp.index * kLanes + lane);
    if (!findings_.wants(Finding::Kind::divergent_barrier, line, order)) return;
    findings_.add(
        Finding::Kind::divergent_barrier, line, order,
        fmt::format("{} of the warp's {} threads reach the barrier, thread {} does not, line {}, block "
                    "({}, {}, {}), warp {}",
                    std::popcount(arriving), std::popcount(warp.warp.live), warp.warp.index * kLanes + lane,
                    line, worker_.block[0], worker_.block[1], worker_.block[2], warp.warp.index));
}

Barriers::Arrival BlockRunner::arrival(WarpState& warp, const Instruction& control, std::uint32_t lanes) {
    const int lane = std::countr_zero(lanes);
    const auto value = [&](std::int32_t offset) {
        return offset >= 0 ? slot<std::uint32_t>(warp.warp, offset)[lane] : 0;
    };
    Barriers::Arrival made{BarrierKind(control.modifiers.variant),
                           value(control.a),
                           value(control.b),
                           warp.warp.index,
                           control.line,
                           int(&control - program_.code.data()),
                           lanes,
                           0};
    if (control.c >= 0) {
        const std::uint32_t predicate = *slot<std::uint32_t>(warp.warp, control.c);
        made.yes = (control.immediate ? ~predicate : predicate) & lanes;
    }
    return made;
}

void BlockRunner::arrive_at_barrier(WarpState& warp, const BasicBlock& block, std::uint32_t mask) {
    const Instruction& control = program_.code[std::size_t(block.control)];
    warp.paths.back().block = block.next;
    const std::uint32_t arriving = guarded(warp, control, mask);
    if (arriving == 0) return;
    if (arriving != warp.warp.live) report_divergent_barrier(warp, control.line, arriving);
    const Barriers::Arrival made = arrival(warp, control, arriving);
    const std::string wrong = barriers_.arrive(made, worker_.shadow ? &shadow_.order() : nullptr);
    if (!wrong.empty()) return stop(wrong, control.line);
    if (made.kind != BarrierKind::arrive) warp.state = State::waiting;
    // A barrier of all is looked at when no warp can go on: until then others may still end.
    if (made.threads > 0 && barriers_.met(made.id, running())) pass_barrier(made.id);
}

int BlockRunner::running() const {
    return int(std::count_if(warps_.begin(), warps_.end(),
                             [](const WarpState& warp) { return warp.state != State::done; }));
}

void BlockRunner::pass_barrier(std::uint32_t id) {
    const Barriers::Passage passage = barriers_.pass(id);
    const bool all = int(passage.waiting.size()) == running();
    if (all && worker_.shadow) shadow_.barrier_of_all();
    for (const Barriers::Arrival& arrival : passage.waiting) {
        WarpState& warp = warps_[std::size_t(arrival.warp)];
        warp.state = State::ready;
        if (!all && worker_.shadow) shadow_.order().leave(arrival.warp, passage.known);
        const Instruction& control = program_.code[std::size_t(arrival.control)];
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

// Lets warps go on whose barrier is met. With none, those that wait will wait for ever.
bool BlockRunner::release_barriers() {
    bool released = false;
    for (std::uint32_t id = 0; id < Barriers::kCount; ++id) {
        if (!barriers_.met(id, running())) continue;
        pass_barrier(id);
        released = true;
    }
    if (released) return true;
    int line = 0;
    const std::string text = barriers_.waiting_text(line);
    stop("deadlock: " + text + "; it can never be met", line);
    return false;
}

// A block of few steps never asks for the time.
bool BlockRunner::out_of_time() {
    if (worker_.steps < kStepsBetweenLooks) return false;
    const auto now = std::chrono::steady_clock::now();
    if (!watched_since_) watched_since_ = now;
    return now - *watched_since_ > std::chrono::duration<double>(options_.block_seconds);
}

void BlockRunner::stop_endless(const BasicBlock& block) {
    const int line = block.last > block.first ? program_.code[std::size_t(block.first)].line : 0;
    const std::string time =
        worker_.steps > options_.step_limit ? "" : fmt::format("{:g} s and ", options_.block_seconds);
    stop(fmt::format("stopped after {}{} steps of one block: an endless loop?", time,
                     std::min(worker_.steps, options_.step_limit)),
         line);
}

void BlockRunner::stop(const std::string& message, int line) {
    stopped_ = true;
    findings_.add(Finding::Kind::stopped, line, 0,
                  fmt::format("{}, line {}, block ({}, {}, {})", message, line, worker_.block[0],
                              worker_.block[1], worker_.block[2]));
}

}  // namespace ws::simt
