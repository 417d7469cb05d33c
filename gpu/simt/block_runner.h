#pragma once
// Executes one block after the other, and tells the observer what happens: warps from barrier to barrier,
// their divergence.

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "gpu/simt/block_state.h"
#include "gpu/simt/observer.h"
#include "gpu/simt/translation.h"

namespace ws::simt {

template <class Observer>
class BlockRunner {
  public:
    BlockRunner(const LaunchContext& context, const BoundProgram& bound, LaunchMemory& memory,
                LaunchLogs& logs, typename Observer::Shared& shared)
        : state_(context, bound, memory, logs), observer_(shared) {
        state_.worker.observer = &observer_;
    }
    BlockRunner(const BlockRunner&) = delete;
    BlockRunner& operator=(const BlockRunner&) = delete;

    // A block, as number `turn` of those that the launch runs. False if it was stopped before its end.
    [[nodiscard]] bool run(std::uint64_t linear_index, std::uint64_t turn);

    // The same instruction by instruction, each by the warp that the caller chooses, which is ready. All that
    // one instruction of the PTX has become is one step.
    void begin(std::uint64_t linear_index, std::uint64_t turn);
    void step(WarpState& warp);
    void end() { observer_.end_block(state_.worker); }

    [[nodiscard]] const Observer& observer() const { return observer_; }
    [[nodiscard]] Observer& observer() { return observer_; }
    [[nodiscard]] BlockState& state() { return state_; }
    // Once all blocks have run: what the observer has not been told yet.
    void tell_all();

  private:
    // Of a warp; then the others get theirs, for which it may wait.
    static constexpr std::uint64_t kStepsOfATurn = 1 << 20;

    void ask_for_translation();
    void run_warp(WarpState& warp);
    // False if nothing is translated there.
    [[nodiscard]] bool run_translated(WarpState& warp);
    void end_early(WarpState& warp);
    void run_instructions(Warp& warp, int first, int last, std::uint32_t mask);
    void pass_empty_blocks(WarpState& warp);
    void end_block(WarpState& warp, const BasicBlock& block, std::uint32_t mask);
    void branch(WarpState& warp, const BasicBlock& block, std::uint32_t mask);
    void branch_list(WarpState& warp, const BasicBlock& block, std::uint32_t mask);
    void call(WarpState& warp, const BasicBlock& block, std::uint32_t mask);
    void exit(WarpState& warp, const BasicBlock& block, std::uint32_t mask);
    void arrive_at_barrier(WarpState& warp, const BasicBlock& block, std::uint32_t mask);
    void pass_barrier(std::uint32_t id);
    [[nodiscard]] bool release_barriers();

    // The same for the instruction that ends a basic block.
    [[nodiscard]] std::uint32_t guarded_end(WarpState& warp, const BasicBlock& block, std::uint32_t mask) {
        const Instruction& control = state_.bound.control_of(block);
        warp.warp.mask = guarded(warp.warp, control, mask);
        observer_.instruction(warp.warp, control);
        return warp.warp.mask;
    }

    BlockState state_;
    Observer observer_;
    const Translation* translation_ = nullptr;
    TranslatedState translated_;
    bool has_copies_ = false;
    bool ended_early_ = false;                        // some warp of the block
    std::uint64_t unasked_steps_ = 0;                 // executed since it asked for one
    std::array<std::vector<BlockPasses>, 2> passes_;  // of blocks by translated code, by its lanes
};

template <class Observer>
bool BlockRunner<Observer>::run(std::uint64_t linear_index, std::uint64_t turn) {
    state_.begin_block(linear_index, turn);
    observer_.begin_block(state_.worker);
    ended_early_ = false;
    while (!state_.stopped) {
        for (WarpState& warp : state_.warps) {
            if (warp.state == WarpState::State::ready) run_warp(warp);
            if (state_.stopped) break;
        }
        if (state_.stopped || state_.all_done()) break;
        if (!state_.any_ready() && !release_barriers()) break;
    }
    observer_.end_block(state_.worker);
    return !state_.stopped;
}

template <class Observer>
void BlockRunner<Observer>::ask_for_translation() {
    const Program& program = state_.bound.program;
    translation_ =
        program.translation.after(std::exchange(unasked_steps_, 0), program, state_.context.translate);
    if (!translation_) return;
    for (std::vector<BlockPasses>& passes : passes_) passes.resize(translation_->blocks());
    has_copies_ = !program.details.all<AsyncCopy>().empty();
    translated_.patterns = state_.worker.patterns.data();
    translated_.partial_patterns = state_.worker.partial_patterns.table();
    translated_.passes_of = {passes_[0].data(), passes_[1].data()};
    translated_.shared_bytes = std::uint32_t(state_.worker.shared.size());
}

template <class Observer>
bool BlockRunner<Observer>::run_translated(WarpState& warp) {
    if (!translation_) return false;
    const Path& path = warp.paths.back();
    Worker& worker = state_.worker;
    const std::int64_t steps = std::min<std::int64_t>(state_.steps_to_look(), kStepsOfATurn);
    if (steps <= 0) return false;
    std::uint32_t mask = path.mask;
    ForLanes lanes = mask == kAllLanes && path.reconverge < 0 ? ForLanes::all : ForLanes::some;
    TranslatedState& state = translated_;
    state.frame = warp.warp.frame;
    state.passes = state.passes_of[std::size_t(lanes)];
    state.steps_left = steps;
    state.mask = mask;
    state.reconverge = path.reconverge;
    if (lanes == ForLanes::some)
        state.patterns_of_mask = state.partial_patterns + worker.partial_patterns.index_of(0, mask);
    TranslatedCode code = translation_->begin(lanes, path.function, path.block);
    const Function& function = state_.bound.program.functions[std::size_t(path.function)];
    while (code) {
        if (has_copies_) state.copies = worker.copies->open(warp.warp.index);
        const Stop stop = code(&state);
        if (has_copies_) worker.copies->close(warp.warp.index, state.copies);
        if (state.apart != 0) {
            state.apart = 0;
            lanes = ForLanes::some;
            mask = state.mask;
            push_side(warp, state.reconverge, mask);
        }
        warp.paths.back().block = int(stop.block);
        if (stop.instruction == Stop::kBlock) break;
        // What it leaves to the interpreter.
        const BasicBlock& block = function.blocks[stop.block];
        const int at = int(stop.instruction);
        if (at == block.last) {
            worker.steps += std::uint64_t(steps - state.steps_left);
            end_block(warp, block, mask);
            return true;
        }
        run_instructions(warp.warp, at, at + 1, mask);
        if (!worker.fault.text.empty()) {
            state_.stop(worker.fault.text, worker.fault.line);
            break;
        }
        code = translation_->resume(lanes, stop.instruction + 1);
    }
    worker.steps += std::uint64_t(steps - state.steps_left);
    return true;
}

template <class Observer>
void BlockRunner<Observer>::tell_all() {
    if (!translation_) return;
    const std::vector<Function>& functions = state_.bound.program.functions;
    for (std::size_t f = 0; f < functions.size(); ++f) {
        for (std::size_t b = 0; b < functions[f].blocks.size(); ++b) {
            const auto number = std::size_t(translation_->block_number(int(f), int(b)));
            BlockPasses sum = passes_[std::size_t(ForLanes::all)][number];
            const BlockPasses& some = passes_[std::size_t(ForLanes::some)][number];
            sum.lanes = sum.times * kLanes + some.lanes;
            sum.times += some.times;
            if (sum.times > 0) observer_.entered(int(f), int(b), sum);
        }
    }
    for (const Instruction& instruction : state_.bound.code) {
        const AccessKind kind = instruction.kind;
        if (kind != AccessKind::read && kind != AccessKind::write && kind != AccessKind::copy) continue;
        const std::int32_t pattern = memory_of(instruction).pattern;
        if (pattern < 0) continue;
        tell_hits(observer_, instruction, state_.worker.patterns[std::size_t(pattern)]);
        state_.worker.partial_patterns.each_of(std::size_t(pattern), [&](AccessPattern& of_some) {
            tell_hits(observer_, instruction, of_some);
        });
    }
}

template <class Observer>
void BlockRunner<Observer>::run_warp(WarpState& warp) {
    const Worker& worker = state_.worker;
    const std::uint64_t turn_ends = worker.steps + kStepsOfATurn;
    if (!translation_ && !observer_.wants_each()) ask_for_translation();
    while (warp.state == WarpState::State::ready && worker.steps < turn_ends) {
        settle(state_.bound, warp);
        if (warp.state == WarpState::State::done) return;
        if (run_translated(warp)) {
            if (state_.stopped) return;
            continue;
        }
        if (observer_.has_enough(warp.warp)) return end_early(warp);
        const Path& path = warp.paths.back();
        const Function& function = state_.bound.program.functions[std::size_t(path.function)];
        const BasicBlock& block = function.blocks[std::size_t(path.block)];
        const std::uint32_t mask = path.mask;
        observer_.enter(warp.warp, path.function, path.block, mask);
        unasked_steps_ += block.weight + 1;
        if (!state_.goes_on(block, block.weight + 1)) return;
        run_instructions(warp.warp, block.first, block.last, mask);
        if (!worker.fault.text.empty()) return state_.stop(worker.fault.text, worker.fault.line);
        end_block(warp, block, mask);
        if (state_.stopped) return;
    }
}

template <class Observer>
void BlockRunner<Observer>::end_early(WarpState& warp) {
    observer_.end_early(warp.warp);
    warp.warp.live = 0;
    warp.state = WarpState::State::done;
    ended_early_ = true;
}

template <class Observer>
void BlockRunner<Observer>::begin(std::uint64_t linear_index, std::uint64_t turn) {
    state_.begin_block(linear_index, turn);
    observer_.begin_block(state_.worker);
    for (WarpState& warp : state_.warps) pass_empty_blocks(warp);
}

template <class Observer>
void BlockRunner<Observer>::step(WarpState& warp) {
    const Path& path = warp.paths.back();
    const Function& function = state_.bound.program.functions[std::size_t(path.function)];
    const BasicBlock& block = function.blocks[std::size_t(path.block)];
    const std::uint32_t mask = path.mask;
    if (!state_.goes_on(block, 1)) return;
    if (const int first = block.first + warp.at; first < block.last) {
        const std::vector<std::int32_t>& ptx = state_.bound.program.ptx_lines;
        int last = first + 1;
        while (last < block.last && ptx[std::size_t(last)] == ptx[std::size_t(first)]) ++last;
        run_instructions(warp.warp, first, last, mask);
        warp.at = last - block.first;
        const Fault& fault = state_.worker.fault;
        if (!fault.text.empty()) return state_.stop(fault.text, fault.line);
    } else {
        warp.at = 0;
        end_block(warp, block, mask);
    }
    pass_empty_blocks(warp);
    if (!state_.stopped && !state_.all_done() && !state_.any_ready() && !release_barriers()) return;
    for (WarpState& other : state_.warps) pass_empty_blocks(other);
}

// To the next instruction: what lies between basic blocks is none.
template <class Observer>
void BlockRunner<Observer>::pass_empty_blocks(WarpState& warp) {
    while (!state_.stopped && warp.state == WarpState::State::ready) {
        if (warp.at == 0) settle(state_.bound, warp);
        if (warp.state == WarpState::State::done) return;
        const Path& path = warp.paths.back();
        const Function& function = state_.bound.program.functions[std::size_t(path.function)];
        const BasicBlock& block = function.blocks[std::size_t(path.block)];
        if (block.first + warp.at < block.last || block.control >= 0) return;
        warp.at = 0;
        end_block(warp, block, path.mask);
    }
}

template <class Observer>
void BlockRunner<Observer>::run_instructions(Warp& warp, int first, int last, std::uint32_t mask) {
    warp.mask = mask;
    const Instruction* instruction = state_.bound.code.data() + first;
    const Instruction* end = state_.bound.code.data() + last;
    const bool full = mask == kAllLanes;
    for (; instruction != end; ++instruction) {
        if (instruction->guard >= 0) [[unlikely]] {
            warp.mask = guarded(warp, *instruction, mask);
            observer_.guarded(*instruction, warp.mask);
            observer_.instruction(warp, *instruction);
            if (warp.mask == kAllLanes)
                instruction->full(warp, *instruction);
            else if (warp.mask != 0)
                instruction->partial(warp, *instruction);
            warp.mask = mask;
            continue;
        }
        observer_.instruction(warp, *instruction);
        if (full)
            instruction->full(warp, *instruction);
        else
            instruction->partial(warp, *instruction);
    }
}

template <class Observer>
void BlockRunner<Observer>::end_block(WarpState& warp, const BasicBlock& block, std::uint32_t mask) {
    switch (block.flow) {
        case Flow::next:
            warp.paths.back().block = block.next;
            return;
        case Flow::branch:
            return branch(warp, block, mask);
        case Flow::list:
            return branch_list(warp, block, mask);
        case Flow::call:
            return call(warp, block, mask);
        case Flow::leave:
            if (block.control >= 0) return branch(warp, block, mask);
            return leave_function(state_.bound.program, warp, mask);
        case Flow::exit:
        case Flow::trap:
            return exit(warp, block, mask);
        case Flow::barrier:
            return arrive_at_barrier(warp, block, mask);
    }
}

template <class Observer>
void BlockRunner<Observer>::branch(WarpState& warp, const BasicBlock& block, std::uint32_t mask) {
    Path& path = warp.paths.back();
    const std::uint32_t taken = guarded_end(warp, block, mask);
    if (taken == mask) {
        path.block = block.target;
    } else if (taken == 0) {
        path.block = block.next;
    } else {
        observer_.diverge(path.function, path.block);
        diverge(state_.bound, warp, block, {{block.next, mask & ~taken}, {block.target, taken}});
    }
}

template <class Observer>
void BlockRunner<Observer>::branch_list(WarpState& warp, const BasicBlock& block, std::uint32_t mask) {
    Path& path = warp.paths.back();
    observer_.instruction(warp.warp, state_.bound.control_of(block));
    const Sides sides = sides_of_list(warp.warp, block, state_.bound.control_of(block).a, mask);
    if (sides.size() == 1) {
        path.block = sides.front().first;
        return;
    }
    observer_.diverge(path.function, path.block);
    diverge(state_.bound, warp, block, sides);
}

template <class Observer>
void BlockRunner<Observer>::call(WarpState& warp, const BasicBlock& block, std::uint32_t mask) {
    const Instruction& control = state_.bound.control_of(block);
    const std::uint32_t calling = guarded_end(warp, block, mask);
    if (calling != 0 && control.a >= 0) {
        const Path& path = warp.paths.back();
        const Sides sides = sides_of_call(warp.warp, control.a, path.block, calling);
        if (sides.size() > 1) {
            // Each of them calls on its own; lanes that call nothing wait where all meet.
            observer_.diverge(path.function, path.block);
            return diverge(state_.bound, warp, block, sides);
        }
    }
    const std::string wrong = enter_call(state_.context.launch, state_.bound, warp, block, calling);
    if (!wrong.empty()) state_.stop(wrong, control.line);
}

template <class Observer>
void BlockRunner<Observer>::exit(WarpState& warp, const BasicBlock& block, std::uint32_t mask) {
    const Instruction& control = state_.bound.control_of(block);
    const std::uint32_t leaving = guarded_end(warp, block, mask);
    if (leaving != 0 && block.flow == Flow::trap)
        return state_.stop("the kernel reached a trap", control.line);
    warp.warp.live &= ~leaving;
    warp.paths.back().block = block.next;
}

template <class Observer>
void BlockRunner<Observer>::arrive_at_barrier(WarpState& warp, const BasicBlock& block, std::uint32_t mask) {
    const Instruction& control = state_.bound.control_of(block);
    warp.paths.back().block = block.next;
    const std::uint32_t arriving = guarded_end(warp, block, mask);
    if (arriving == 0) return;
    if (arriving != warp.warp.live) state_.report_divergent_barrier(warp, control.line, arriving);
    const Barriers::Arrival made = state_.arrival(warp, control, arriving);
    const std::string wrong = state_.barriers.arrive(made);
    if (!wrong.empty()) return state_.stop(wrong, control.line);
    observer_.arrive(made);
    if (made.kind != BarrierKind::arrive) warp.state = WarpState::State::waiting;
    // A barrier of all is looked at when no warp can go on: until then others may still end.
    if (made.threads > 0 && state_.barriers.met(made.id, state_.running())) pass_barrier(made.id);
}

template <class Observer>
void BlockRunner<Observer>::pass_barrier(std::uint32_t id) {
    const Barriers::Passage& passage = state_.barriers.pass(id);
    observer_.pass(id, passage.waiting, int(passage.waiting.size()) == state_.running());
    state_.release(passage);
}

// Lets warps go on whose barrier is met. With none, those that wait will wait for ever.
template <class Observer>
bool BlockRunner<Observer>::release_barriers() {
    bool released = false;
    const int running = state_.running();
    for (std::uint32_t id = 0; id < Barriers::kCount; ++id) {
        if (!state_.barriers.met(id, running)) continue;
        pass_barrier(id);
        released = true;
    }
    if (released) return true;
    if (ended_early_) {  // those for whom they wait
        for (WarpState& warp : state_.warps)
            if (warp.state == WarpState::State::waiting) end_early(warp);
        return true;
    }
    int line = 0;
    const std::string text = state_.barriers.waiting_text(line);
    state_.stop("deadlock: " + text + "; it can never be met", line);
    return false;
}

}  // namespace ws::simt
