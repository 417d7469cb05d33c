#include "gpu/debug/debugger.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "gpu/debug/value_text.h"
#include "gpu/simt/addresses.h"

namespace ws::debug {
namespace {

constexpr std::uint64_t kMostSteps = 50'000'000;  // without a stop
constexpr std::uint64_t kMostWatchedBytes = 4096;
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

// What lay at an address once.
class FormerMemory : public Surroundings {
  public:
    FormerMemory(std::uint64_t address, std::span<const std::byte> bytes)
        : address_(address), bytes_(bytes) {}
    std::optional<Value> named(std::string_view) const override { return std::nullopt; }
    std::span<const std::byte> memory(std::uint64_t address, std::uint64_t bytes) const override {
        const std::uint64_t at = address - address_;
        return at <= bytes_.size() && bytes <= bytes_.size() - at ? bytes_.subspan(at, bytes)
                                                                  : std::span<const std::byte>();
    }

  private:
    std::uint64_t address_;
    std::span<const std::byte> bytes_;
};

struct Interrupted {};

std::uint64_t generic_address(const simt::LaneWrite& write) {
    if (write.space == simt::Space::shared) return simt::kSharedWindow + write.address;
    if (write.space == simt::Space::local) return simt::kLocalWindow + write.address;
    return write.address;
}

// Whether a lane of the warp wrote there. A place in local memory is that of one lane.
bool wrote(const simt::LaneWrite& write, int warp, std::uint64_t address, std::uint64_t bytes, Focus owner) {
    const std::uint64_t at = generic_address(write);
    if (at + write.bytes <= address || address + bytes <= at) return false;
    return write.space != simt::Space::local || owner == Focus{warp, write.lane};
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

struct Debugger::WatchChange {
    int number = 0;
    int lane = 0;
    std::string before, after;
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

// ---- breakpoints and watches

const Breakpoint& Debugger::add_breakpoint(SourceLine line, const std::string& condition, bool temporary) {
    Breakpoint made;
    made.instructions = text_->starts_of(line);
    if (made.instructions.empty())
        throw DebugError(fmt::format("no code at line {} of {} or behind it", line.line,
                                     text_->files()[std::size_t(line.file)].name));
    made.line = line;
    if (!condition.empty()) made.when = parse(condition);
    made.condition = condition;
    made.temporary = temporary;
    made.number = ++last_number_;
    breakpoints_.push_back(std::move(made));
    return breakpoints_.back();
}

const Watch& Debugger::add_watch(const std::string& expression) {
    Watch made;
    made.text = expression;
    made.expression = parse(expression);
    made.focus = focus_;
    const LaneView here = view(focus_);
    TypeTable& types = text_->info().types;
    const Value value = evaluate(made.expression, types, here);
    made.type = value.type;
    made.bytes = types[value.type].bytes;
    if (value.address) {
        made.address = value.address;
        if (made.bytes == 0 || made.bytes > kMostWatchedBytes)
            throw DebugError(fmt::format("{} has {} bytes: 1 to {} can be watched", expression, made.bytes,
                                         kMostWatchedBytes));
        if (here.memory(*value.address, made.bytes).empty())
            throw DebugError(fmt::format("no memory at address {:#x}", *value.address));
    } else {
        made.bytes = 8;
        (void)bits_of(value, types, here);
    }
    made.number = ++last_number_;
    watches_.push_back(std::move(made));
    return watches_.back();
}

bool Debugger::remove(int number) {
    const auto is = [number](const auto& one) { return one.number == number; };
    return std::erase_if(breakpoints_, is) + std::erase_if(watches_, is) > 0;
}

void Debugger::remove_all() {
    breakpoints_.clear();
    watches_.clear();
}

const Breakpoint* Debugger::breakpoint_at(int warp, int& lane) {
    if (breakpoints_.empty()) return nullptr;
    const int instruction = block().next_instruction(warp);
    for (const Breakpoint& one : breakpoints_) {
        if (std::find(one.instructions.begin(), one.instructions.end(), instruction) ==
            one.instructions.end())
            continue;
        const simt::WarpState& state = block().state().warps[std::size_t(warp)];
        const std::uint32_t lanes = state.paths.back().mask & state.warp.live;
        // The lane in focus first, if it is among them.
        const int first =
            warp == focus_.warp && (lanes >> focus_.lane & 1u) ? focus_.lane : std::countr_zero(lanes);
        for (int i = -1; i < simt::kLanes; ++i) {
            const int candidate = i < 0 ? first : i;
            if ((lanes >> candidate & 1u) == 0) continue;
            lane = candidate;
            if (!one.when) return &one;
            try {
                const LaneView here = view({warp, candidate});
                TypeTable& types = text_->info().types;
                if (is_true(evaluate(*one.when, types, here), types, here)) return &one;
            } catch (const DebugError&) {
                // What has no value does not hold.
            }
        }
    }
    return nullptr;
}

Stop Debugger::stop_at_breakpoint(int number, Focus focus) {
    focus_ = focus;
    Stop stop{Stop::Why::breakpoint, number, {}, {}, {}};
    const auto found = std::find_if(breakpoints_.begin(), breakpoints_.end(),
                                    [number](const Breakpoint& one) { return one.number == number; });
    ++found->hits;
    if (found->temporary) breakpoints_.erase(found);
    return stop;
}

// Empty where it has no value, or where the warp that takes the step cannot change it.
std::vector<std::byte> Debugger::bytes_of(const Watch& watch, int warp) {
    if (watch.address) {
        const auto bytes = block().bytes_at(watch.focus.warp, watch.focus.lane, *watch.address, watch.bytes);
        return {bytes.begin(), bytes.end()};
    }
    if (watch.focus.warp != warp) return {};
    try {
        const LaneView here = view(watch.focus);
        TypeTable& types = text_->info().types;
        const std::uint64_t bits = debug::bits_of(evaluate(watch.expression, types, here), types, here);
        std::vector<std::byte> made(sizeof bits);
        std::memcpy(made.data(), &bits, sizeof bits);
        return made;
    } catch (const DebugError&) {
        return {};
    }
}

std::string Debugger::text_of_bytes(const Watch& watch, const std::vector<std::byte>& bytes) {
    const TypeTable& types = text_->info().types;
    const std::uint64_t address = watch.address.value_or(0);
    const FormerMemory memory(address, bytes);
    if (watch.address) return text_of({watch.type, 0, address, 0, 0}, types, memory);
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data(), sizeof bits);
    return text_of({watch.type, bits, {}, 0, 0}, types, memory);
}

std::vector<std::vector<std::byte>> Debugger::watched_bytes(int warp) {
    std::vector<std::vector<std::byte>> made;
    for (const Watch& watch : watches_) made.push_back(bytes_of(watch, warp));
    return made;
}

std::optional<Debugger::WatchChange> Debugger::change_of(const std::vector<std::vector<std::byte>>& before,
                                                         int warp) {
    for (std::size_t i = 0; i < before.size(); ++i) {
        const Watch& watch = watches_[i];
        if (before[i].empty()) continue;
        const std::vector<std::byte> after = bytes_of(watch, warp);
        if (after.empty() || after == before[i]) continue;
        WatchChange made{watch.number, watch.address ? 0 : watch.focus.lane, text_of_bytes(watch, before[i]),
                         text_of_bytes(watch, after)};
        for (const simt::LaneWrite& write : block().writes()) {
            if (watch.address && wrote(write, warp, *watch.address, watch.bytes, watch.focus))
                made.lane = write.lane;
        }
        return made;
    }
    return std::nullopt;
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
            int lane = 0;
            if (const Breakpoint* hit = look ? breakpoint_at(warp, lane) : nullptr)
                return stop_at_breakpoint(hit->number, {warp, lane});
            look = true;
            const bool waited = block().state().warps[std::size_t(focus_.warp)].state == State::waiting;
            const std::vector<std::vector<std::byte>> before = watched_bytes(warp);
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
            if (const std::optional<WatchChange> change = change_of(before, warp)) {
                focus_ = {warp, change->lane};
                return {Stop::Why::watch, change->number, {}, change->before, change->after};
            }
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

// ---- backwards

struct Debugger::BackToStop {
    struct Seen {
        std::uint64_t step = 0;
        Focus focus;
        int breakpoint = 0;  // 0: a watch
        WatchChange change;
    };
    Debugger& debugger;
    std::vector<std::vector<std::byte>> watched{};
    std::optional<Seen> last{};

    void before(std::uint64_t step, std::vector<Seen>& seen) {
        if (step % 1024 == 0) debugger.check_interrupt();
        const int warp = debugger.history_->warp_of(step);
        int lane = 0;
        if (const Breakpoint* hit = debugger.breakpoint_at(warp, lane))
            seen.push_back({step, {warp, lane}, hit->number, {}});
        watched = debugger.watched_bytes(warp);
    }
    void after(std::uint64_t step, std::vector<Seen>& seen) {
        const int warp = debugger.history_->warp_of(step);
        if (const std::optional<WatchChange> change = debugger.change_of(watched, warp))
            seen.push_back({step, {warp, change->lane}, 0, *change});
    }
    bool found(const Seen& one) {
        last = one;
        return true;
    }
};

Stop Debugger::go_back() {
    BackToStop visit{*this};
    try {
        if (!history_->search_back<BackToStop::Seen>(now(), visit)) return go_to(0);
    } catch (const Interrupted&) {
        return {Stop::Why::interrupted, 0, {}, {}, {}};
    }
    history_->go_to(visit.last->step);
    if (visit.last->breakpoint > 0) return stop_at_breakpoint(visit.last->breakpoint, visit.last->focus);
    focus_ = visit.last->focus;
    const WatchChange& change = visit.last->change;
    return {Stop::Why::watch, change.number, {}, change.before, change.after};
}

struct Debugger::BackToLine {
    struct Seen {
        std::uint64_t step = 0;
        SourceLine line;
        int depth = 0;
    };
    Debugger& debugger;
    bool over, instruction, finish;
    int depth;
    bool any = false;
    Seen run{};  // the line to whose beginning it goes

    void before(std::uint64_t step, std::vector<Seen>& seen) const {
        if (step % 1024 == 0) debugger.check_interrupt();
        const int warp = debugger.focus_.warp;
        if (debugger.history_->warp_of(step) != warp) return;
        seen.push_back({step, debugger.line_of(warp), debugger.depth_of(warp)});
    }
    void after(std::uint64_t /*step*/, std::vector<Seen>& /*seen*/) const {}
    bool found(const Seen& one) {
        if (!instruction && finish && one.depth >= depth) return false;
        const bool by_line = !instruction && !finish;
        if (by_line && (one.line.line == 0 || (over && one.depth > depth))) return false;
        if (any && (run.line != one.line || run.depth != one.depth)) return true;
        any = true;
        run = one;
        return !by_line;
    }
};

Stop Debugger::back_to_line(bool over, bool instruction, bool finish) {
    BackToLine visit{*this, over, instruction, finish, depth_of(focus_.warp)};
    try {
        (void)history_->search_back<BackToLine::Seen>(now(), visit);
    } catch (const Interrupted&) {
        return {Stop::Why::interrupted, 0, {}, {}, {}};
    }
    if (!visit.any) return {Stop::Why::beginning, 0, {}, {}, {}};
    history_->go_to(visit.run.step);
    return {Stop::Why::moved, 0, {}, {}, {}};
}

Stop Debugger::step_line_back(bool over) {
    return back_to_line(over, false, false);
}

Stop Debugger::step_instruction_back() {
    return back_to_line(false, true, false);
}

Stop Debugger::finish_back() {
    if (depth_of(focus_.warp) == 0) throw DebugError("it is in the kernel itself, which nobody called");
    return back_to_line(false, false, true);
}

Stop Debugger::go_to(std::uint64_t step) {
    if (step > recorded())
        throw DebugError(
            fmt::format("{} steps have been taken: 0 to {} can be gone to", recorded(), recorded()));
    history_->go_to(step);
    return {step == 0 ? Stop::Why::beginning : Stop::Why::moved, 0, {}, {}, {}};
}

struct Debugger::BackToWrite {
    struct Seen {
        std::uint64_t step = 0;
        Focus writer;
    };
    Debugger& debugger;
    std::uint64_t address, bytes;
    std::optional<Seen> last{};

    void before(std::uint64_t step, std::vector<Seen>& /*seen*/) const {
        if (step % 1024 == 0) debugger.check_interrupt();
    }
    void after(std::uint64_t step, std::vector<Seen>& seen) const {
        const int warp = debugger.history_->warp_of(step);
        for (const simt::LaneWrite& write : debugger.block().writes()) {
            if (!wrote(write, warp, address, bytes, debugger.focus_)) continue;
            seen.push_back({step, {warp, write.lane}});
            return;
        }
    }
    bool found(const Seen& one) {
        last = one;
        return true;
    }
};

bool Debugger::go_to_last_write(const std::string& expression) {
    const LaneView here = view(focus_);
    const TypeTable& types = text_->info().types;
    const Value value = evaluate(parse(expression), text_->info().types, here);
    if (!value.address) throw DebugError(fmt::format("{} lies in no memory", expression));
    BackToWrite visit{*this, *value.address, std::max<std::uint64_t>(1, types[value.type].bytes)};
    try {
        if (!history_->search_back<BackToWrite::Seen>(now(), visit)) return false;
    } catch (const Interrupted&) {
        throw DebugError("interrupted");
    }
    history_->go_to(visit.last->step);
    focus_ = visit.last->writer;
    return true;
}

// ---- values

std::string Debugger::value_text(const Expression& expression, Focus focus, int level, char letter) {
    const LaneView here = view(focus, level);
    TypeTable& types = text_->info().types;
    return text_of(evaluate(expression, types, here), types, here, letter);
}

}  // namespace ws::debug
