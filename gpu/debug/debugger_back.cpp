// The debugger's ways back: the steps that were recorded are taken again, and looked at, from the last on.

#include <fmt/format.h>

#include <algorithm>

#include "gpu/debug/debugger.h"

namespace ws::debug {

struct Debugger::BackToStop {
    struct Seen {
        std::uint64_t step = 0;
        Focus focus;
        int breakpoint = 0;  // 0: a watch
        Stops::Change change;
    };
    Debugger& debugger;
    Stops::Watched watched{};
    std::optional<Seen> last{};

    void before(std::uint64_t step, std::vector<Seen>& seen) {
        if (step % 1024 == 0) debugger.check_interrupt();
        const int warp = debugger.history_->warp_of(step);
        if (const auto hit = debugger.stops_.hit(warp, debugger.here()))
            seen.push_back({step, hit->focus, hit->number, {}});
        watched = debugger.stops_.watched(warp, debugger.here());
    }
    void after(std::uint64_t step, std::vector<Seen>& seen) {
        const int warp = debugger.history_->warp_of(step);
        if (const auto change = debugger.stops_.change(watched, warp, debugger.here()))
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
    const BackToStop::Seen& last = *visit.last;
    if (last.breakpoint > 0) return stop_at_breakpoint({last.breakpoint, last.focus});
    return stop_at_change(last.change, last.focus.warp);
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

}  // namespace ws::debug
