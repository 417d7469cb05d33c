#include "gpu/debug/debugger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "gpu/debug/value_text.h"

namespace ws::debug {
namespace {

constexpr std::uint64_t kMostSteps = 50'000'000;  // without a stop
constexpr std::uint64_t kStepsOfABurst =
    32;  // by one warp, in an order at random: else all keep about the same pace

using State = simt::WarpState::State;

// SplitMix64: a number of each step, the same whenever it is asked for.
std::uint64_t mixed(std::uint64_t value) {
    value += 0x9E3779B97F4A7C15ull;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
    return value ^ (value >> 31);
}

}  // namespace

const char* name_of(Schedule schedule) {
    switch (schedule) {
        case Schedule::in_order:
            return "in-order";
        case Schedule::reverse:
            return "reverse";
        case Schedule::round_robin:
            return "round-robin";
        case Schedule::random:
            return "random";
    }
    return "";
}

struct Debugger::Goal {
    enum class Kind : std::uint8_t { none, instruction, line, out };
    Kind kind = Kind::none;
    bool over = false;
    bool looks_at_first = false;  // at the breakpoint of the first step, too
    SourceLine from;
    int depth = 0;
};

Debugger::Debugger(DebugTarget target, std::atomic<bool>& interrupt)
    : target_(std::move(target)), interrupt_(interrupt) {
    choose_block(0);
    text_ = std::make_unique<KernelText>(target_.sources, block().program());
}

void Debugger::choose_block(std::uint64_t linear_index) {
    auto made =
        std::make_unique<History>([this, linear_index] { return target_.start(linear_index, interrupt_); });
    history_ = std::move(made);
    block_index_ = linear_index;
    // Local memory and registers that were watched are those of another run.
    focus_ = {std::min(focus_.warp, warps() - 1), focus_.lane};
}

// ---- who goes on

bool Debugger::can_go_on(int warp) const {
    return block().state().warps[std::size_t(warp)].state == State::ready && !frozen_.contains(warp);
}

int Debugger::next_warp(bool prefers_focus) const {
    if (history_->repeats()) return history_->warp_of(now());
    std::vector<int> ready;
    for (int warp = 0; warp < warps(); ++warp) {
        if (can_go_on(warp)) ready.push_back(warp);
    }
    if (ready.empty()) return -1;
    // Whoever came last to a barrier is no reason to go on with.
    const bool goes_on = now() > 0 && !history_->passed_barrier(now() - 1);
    const int last = now() > 0 ? history_->warp_of(now() - 1) : -1;
    switch (schedule_) {
        case Schedule::round_robin: {
            const auto next = std::upper_bound(ready.begin(), ready.end(), last);
            return next != ready.end() ? *next : ready.front();
        }
        case Schedule::random:
            return ready[std::size_t(mixed(seed_ * 0x100000001B3ull + now() / kStepsOfABurst) %
                                     ready.size())];
        default:
            break;
    }
    if (prefers_focus && can_go_on(focus_.warp)) return focus_.warp;
    if (goes_on && can_go_on(last)) return last;
    return schedule_ == Schedule::reverse ? ready.back() : ready.front();
}

void Debugger::new_schedule() {
    history_->forget_future();
}

void Debugger::freeze(std::set<int> warps) {
    if (warps == frozen_) return;
    new_schedule();
    frozen_ = std::move(warps);
}

void Debugger::set_schedule(Schedule schedule, std::uint64_t seed) {
    if (schedule == schedule_ && seed == seed_) return;
    new_schedule();
    schedule_ = schedule;
    seed_ = seed;
}

// ---- stops

Stop Debugger::stop_at_breakpoint(const Stops::Hit& hit) {
    focus_ = hit.focus;
    stops_.count_hit(hit.number);
    return {Stop::Why::breakpoint, hit.number, {}, {}, {}};
}

Stop Debugger::stop_at_change(const Stops::Change& change, int warp) {
    focus_ = {warp, change.lane};
    return {Stop::Why::watch, change.number, {}, change.before, change.after};
}

// ---- forwards

void Debugger::check_interrupt() const {
    if (interrupt_.exchange(false)) throw Interrupted();
}

int Debugger::depth_of(int warp) const {
    const simt::WarpState& state = block().state().warps[std::size_t(warp)];
    const auto calls = std::count_if(state.paths.begin(), state.paths.end(),
                                     [](const simt::Path& path) { return path.call >= 0; });
    int depth = int(calls);
    for (const Scope* scope : text_->info().scopes_at(text_->ptx_line_of(block().next_instruction(warp))))
        depth += scope->inlined ? 1 : 0;
    return depth;
}

SourceLine Debugger::line_of(int warp) const {
    return text_->source_of(block().next_instruction(warp));
}

Stop Debugger::stop_of_end() const {
    if (!block().state().stopped) return {Stop::Why::ended, 0, {}, {}, {}};
    const std::vector<Finding> findings = block().findings();
    const auto why = std::find_if(findings.rbegin(), findings.rend(),
                                  [](const Finding& one) { return one.kind == Finding::Kind::stopped; });
    return {Stop::Why::failed, 0, why != findings.rend() ? why->message : "the block was stopped", {}, {}};
}

bool Debugger::is_reached(const Goal& goal, int warp, bool waited) const {
    if (goal.kind == Goal::Kind::none || (warp != focus_.warp && !waited)) return false;
    const State state = block().state().warps[std::size_t(focus_.warp)].state;
    if (state == State::done) return true;
    if (goal.kind == Goal::Kind::instruction) return warp == focus_.warp;
    if (state == State::waiting) return false;
    const int depth = depth_of(focus_.warp);
    if (goal.kind == Goal::Kind::out) return depth < goal.depth;
    if (goal.over && depth > goal.depth) return false;
    const SourceLine line = line_of(focus_.warp);
    return line.line > 0 && (line != goal.from || depth < goal.depth);
}

// Its message ends with the thread.
Focus Debugger::focus_of_finding(const std::string& message, int warp) const {
    std::array<int, 3> thread{};
    const std::size_t at = message.rfind("thread (");
    const bool named = at != std::string::npos && std::sscanf(message.c_str() + at, "thread (%d, %d, %d)",
                                                              &thread[0], &thread[1], &thread[2]) == 3;
    const std::optional<Focus> found = named ? focus_of(block(), thread) : std::nullopt;
    return found && found->warp == warp ? *found : Focus{warp, focus_.lane};
}

// The first error among those that are not known yet, which then they are; empty if there is none.
std::string Debugger::new_finding(std::vector<Finding>& known) const {
    std::vector<Finding> all = block().findings();
    std::string message;
    for (const Finding& one : all) {
        const bool old = std::any_of(known.begin(), known.end(), [&](const Finding& other) {
            return other.kind == one.kind && other.line == one.line;
        });
        if (!old && message.empty() && one.severity == Severity::error) message = one.message;
    }
    known = std::move(all);
    return message;
}

Stop Debugger::forward(const Goal& goal) {
    bool look = goal.looks_at_first;
    std::vector<Finding> findings = block().findings();
    const bool steps = goal.kind != Goal::Kind::none;
    if (steps && block().state().warps[std::size_t(focus_.warp)].state == State::done)
        return {block().ended() ? stop_of_end() : Stop{Stop::Why::warp_ended, 0, {}, {}, {}}};
    try {
        for (std::uint64_t count = 0; count < kMostSteps; ++count) {
            if (block().ended()) return stop_of_end();
            if (count % 1024 == 0) check_interrupt();
            const int warp = next_warp(steps);
            if (warp < 0) return {Stop::Why::only_frozen, 0, {}, {}, {}};
            if (const auto hit = look ? stops_.hit(warp, here()) : std::nullopt)
                return stop_at_breakpoint(*hit);
            look = true;
            const bool waited = block().state().warps[std::size_t(focus_.warp)].state == State::waiting;
            const Stops::Watched before = stops_.watched(warp, here());
            const std::uint64_t at = now();
            const std::size_t known = block().finding_count();
            history_->step(warp);
            if (block().finding_count() > known) {
                const std::string found = new_finding(findings);
                if (stops_at_findings_ && !found.empty() && !block().state().stopped) {
                    history_->go_to(at);
                    focus_ = focus_of_finding(found, warp);
                    return {Stop::Why::finding, 0, found, {}, {}};
                }
            }
            if (const auto change = stops_.change(before, warp, here())) return stop_at_change(*change, warp);
            if (is_reached(goal, warp, waited)) {
                const bool done = block().state().warps[std::size_t(focus_.warp)].state == State::done;
                if (done && block().ended()) return stop_of_end();
                return {done ? Stop::Why::warp_ended : Stop::Why::moved, 0, {}, {}, {}};
            }
        }
    } catch (const Interrupted&) {
        return {Stop::Why::interrupted, 0, {}, {}, {}};
    }
    return {Stop::Why::endless, 0, fmt::format("{} steps without a stop", kMostSteps), {}, {}};
}

Stop Debugger::run() {
    Goal goal;
    goal.looks_at_first = true;
    return forward(goal);
}

Stop Debugger::go_on() {
    return forward({});
}

Stop Debugger::step_line(bool over) {
    Goal goal;
    goal.kind = Goal::Kind::line;
    goal.over = over;
    goal.from = line_of(focus_.warp);
    goal.depth = depth_of(focus_.warp);
    return forward(goal);
}

Stop Debugger::step_instruction() {
    Goal goal;
    goal.kind = Goal::Kind::instruction;
    return forward(goal);
}

Stop Debugger::finish() {
    Goal goal;
    goal.kind = Goal::Kind::out;
    goal.depth = depth_of(focus_.warp);
    if (goal.depth == 0) throw DebugError("it is in the kernel itself, which nobody called: use continue");
    return forward(goal);
}

// ---- values

std::string Debugger::value_text(const Expression& expression, Focus focus, int level, char letter) {
    const LaneView here = view(focus, level);
    TypeTable& types = text_->info().types;
    return text_of(evaluate(expression, types, here), types, here, letter);
}

}  // namespace ws::debug
