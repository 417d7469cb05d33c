// What the command "info" shows.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "gpu/debug/console.h"
#include "gpu/debug/console_words.h"
#include "gpu/debug/scene.h"
#include "gpu/debug/value_text.h"

namespace ws::debug {
namespace {

using State = simt::WarpState::State;

std::string line_text(const KernelText& text, SourceLine line) {
    if (line.line == 0) return "-";
    return fmt::format("{}:{}", text.files()[std::size_t(line.file)].name, line.line);
}

// Of a warp that waits: at which barrier, and who has come there.
std::string barrier_text(const simt::SteppedBlock& block, int warp) {
    const simt::Barriers& barriers = block.state().barriers;
    for (std::uint32_t id = 0; id < simt::Barriers::kCount; ++id) {
        for (const simt::Barriers::Arrival& arrival : barriers.waiting(id)) {
            if (arrival.warp == warp)
                return fmt::format("waits at barrier {}, {} of {} warps are there", id, barriers.arrived(id),
                                   arrival.threads > 0 ? int(arrival.threads / 32) : block.state().running());
        }
    }
    return "waits";
}

}  // namespace

// Neighbours as "4-7"; every second, and so on, as "0,2..30".
std::string lanes_of_mask(std::uint32_t mask) {
    if (mask == 0) return "none";
    constexpr int kFew = 4;  // of a step from which on they are not written one by one
    std::string made;
    std::vector<int> lanes;
    for (int lane = 0; lane < simt::kLanes; ++lane) {
        if ((mask >> lane & 1u) != 0) lanes.push_back(lane);
    }
    for (std::size_t first = 0; first < lanes.size();) {
        std::size_t last = first + 1 < lanes.size() ? first + 1 : first;
        const int step = lanes[last] - lanes[first];
        while (last + 1 < lanes.size() && lanes[last + 1] - lanes[last] == step) ++last;
        std::string text = std::to_string(lanes[first]);
        if (step == 1)
            text += fmt::format("-{}", lanes[last]);
        else if (int(last - first) + 1 >= kFew)
            text += fmt::format(",{}..{}", lanes[first + 1], lanes[last]);
        else
            last = first;
        made += (made.empty() ? "" : ",") + text;
        first = last + 1;
    }
    return made;
}

void Console::info(const std::string& rest) {
    std::string what = rest.substr(0, rest.find(' '));
    const std::string more = trimmed_word(rest.substr(what.size()));
    struct Topic {
        const char* name;
        std::function<void()> show;
    };
    const std::vector<Topic> topics{{"warps", [&] { info_warps(); }},
                                    {"lanes", [&] { info_lanes(); }},
                                    {"threads", [&] { info_lanes(); }},
                                    {"locals", [&] { info_locals(false); }},
                                    {"args", [&] { info_locals(true); }},
                                    {"registers", [&] { info_registers(more); }},
                                    {"barriers", [&] { info_barriers(); }},
                                    {"breakpoints", [&] { info_breakpoints(); }},
                                    {"watchpoints", [&] { info_breakpoints(); }},
                                    {"line", [&] { info_line(); }},
                                    {"focus", [&] { show_place(); }},
                                    {"display", [&] { info_displays(); }},
                                    {"findings", [&] { info_findings(); }},
                                    {"history", [&] { info_history(); }}};
    if (what == "b") what = "breakpoints";
    const Topic* found = nullptr;
    std::string names;
    for (const Topic& topic : topics) {
        names += (names.empty() ? "" : ", ") + std::string(topic.name);
        if (what.empty() || !std::string_view(topic.name).starts_with(what)) continue;
        if (found && what != topic.name)
            throw DebugError(
                fmt::format("Ambiguous info command \"{}\": {}, {}.", what, found->name, topic.name));
        found = &topic;
        if (what == topic.name) break;
    }
    if (!found) throw DebugError(fmt::format("\"info\" must be followed by one of: {}.", names));
    if (!more.empty() && std::string_view(found->name) != "registers") refuse_rest(more);
    found->show();
}

// A line a path: the innermost first, then the lanes that wait for it, and callers.
void Console::info_warps() {
    ask(Panel::stack);
    const simt::SteppedBlock& block = debugger_.block();
    std::vector<std::vector<std::string>> rows{{"  warp", "lanes", "at", "function", "state"}};
    for (int warp = 0; warp < debugger_.warps(); ++warp) {
        const State now = block.state().warps[std::size_t(warp)].state;
        const bool frozen = debugger_.frozen().contains(warp);
        std::string number = fmt::format("{} {:>4}", warp == debugger_.focus().warp ? '*' : ' ', warp);
        if (now == State::done) {
            rows.push_back({number, "none", "-", "-", "ended"});
            continue;
        }
        std::string state = now == State::waiting ? barrier_text(block, warp) : frozen ? "frozen" : "ready";
        if (now == State::waiting && frozen) state += ", frozen";
        for (const PathScene& path : paths_of(debugger_, warp)) {
            if (path.waits == PathScene::Waits::for_lanes)
                state = "inactive: waits where these lanes meet the others";
            if (path.waits == PathScene::Waits::for_return) state = "waits for the function that it called";
            rows.push_back({std::exchange(number, ""), lanes_of_mask(path.lanes),
                            line_text(debugger_.text(), path.at), path.function, state});
        }
    }
    print_(table_of(rows, "l"));
}

// Threads of the focus's warp, those beside each other that are at one place together.
void Console::info_lanes() {
    const simt::SteppedBlock& block = debugger_.block();
    const int warp = debugger_.focus().warp;
    const simt::Shape& shape = block.launch().block;
    const int threads = std::min(simt::kLanes, shape[0] * shape[1] * shape[2] - warp * simt::kLanes);
    const std::uint32_t live = block.state().warps[std::size_t(warp)].warp.live;
    say("  lanes    threads                      state     at");
    const auto describe = [&](int lane) {
        const StackFrame here = debugger_.view({warp, lane}).here();
        const bool ended = (live >> lane & 1u) == 0;
        return fmt::format("{:<9} {}",
                           ended                            ? "ended"
                           : is_active(block, {warp, lane}) ? "active"
                                                            : "inactive",
                           ended ? "-" : line_text(debugger_.text(), here.source));
    };
    for (int lane = 0; lane < threads;) {
        const std::string text = describe(lane);
        int last = lane;
        while (last + 1 < threads && describe(last + 1) == text) ++last;
        const bool focus = debugger_.focus().lane >= lane && debugger_.focus().lane <= last;
        const std::string lanes = last > lane ? fmt::format("{}-{}", lane, last) : std::to_string(lane);
        const std::string range =
            last > lane ? fmt::format("{} to {}", thread_text({warp, lane}), thread_text({warp, last}))
                        : thread_text({warp, lane});
        say("{} {:<8} {:<28} {}", focus ? "*" : " ", lanes, range, text);
        lane = last + 1;
    }
}

void Console::info_locals(bool parameters) {
    ask(Panel::variables);
    const Focus focus = debugger_.focus();
    const LaneView view = debugger_.view(focus, level_);
    if (!debugger_.text().knows_variables())
        throw DebugError("the code is optimised: it has registers (info registers) instead of variables");
    bool any = false;
    for (const LaneView::Local& one : view.locals()) {
        if (one.is_parameter != parameters) continue;
        any = true;
        try {
            const TypeTable& types = debugger_.text().info().types;
            say("{} = {}", one.name, text_of(view.value_of(one), types, view));
        } catch (const DebugError&) {
            say("{} = <no value here>", one.name);
        }
    }
    if (!any) say(parameters ? "No arguments." : "No locals.");
}

void Console::info_registers(const std::string& which) {
    ask(Panel::registers);
    const LaneView view = debugger_.view(debugger_.focus(), level_);
    const simt::Function& function =
        debugger_.block().program().functions[std::size_t(view.here().function_index)];
    bool any = false;
    for (const auto& [name, one] : function.names.registers) {
        if (!which.empty() && which != name && which != name.substr(1)) continue;
        if (name.find('#') != std::string::npos) continue;  // the compiler's, within a call
        any = true;
        const std::uint64_t bits = view.register_bits(name).value_or(0);
        const std::string value = debugger_.value_text(debugger_.parse(name), debugger_.focus(), level_);
        say("{:<8} {:>18}  {}", name, fmt::format("{:#x}", bits), value);
    }
    if (!any) throw DebugError(fmt::format("Invalid register `{}'", which));
}

void Console::info_barriers() {
    const simt::SteppedBlock& block = debugger_.block();
    const simt::Barriers& barriers = block.state().barriers;
    bool any = false;
    for (std::uint32_t id = 0; id < simt::Barriers::kCount; ++id) {
        if (barriers.arrived(id) == 0) continue;
        any = true;
        std::vector<int> there;
        std::string line = "-";
        std::uint32_t threads = 0;
        for (const simt::Barriers::Arrival& arrival : barriers.waiting(id)) {
            there.push_back(arrival.warp);
            line = line_text(debugger_.text(), debugger_.text().source_of(arrival.control));
            threads = arrival.threads;
        }
        std::vector<int> missing;
        for (int warp = 0; warp < debugger_.warps(); ++warp) {
            const bool done = block.state().warps[std::size_t(warp)].state == State::done;
            if (!done && std::find(there.begin(), there.end(), warp) == there.end()) missing.push_back(warp);
        }
        say("barrier {} at {}: {} of {} warps have arrived; waiting: {}; still on their way: {}", id, line,
            barriers.arrived(id), threads > 0 ? int(threads / 32) : block.state().running(),
            fmt::join(there, ", "), missing.empty() ? "none" : fmt::format("{}", fmt::join(missing, ", ")));
    }
    if (!any) say("No warp waits at a barrier.");
}

void Console::info_breakpoints() {
    if (debugger_.breakpoints().empty() && debugger_.watches().empty()) say("No breakpoints or watchpoints.");
    for (const Breakpoint& one : debugger_.breakpoints())
        say("{:<3} breakpoint  {}{}{}, hit {} {}", one.number, line_text(debugger_.text(), one.line),
            one.condition.empty() ? "" : " if " + one.condition, one.temporary ? ", once" : "", one.hits,
            one.hits == 1 ? "time" : "times");
    for (const Watch& one : debugger_.watches()) say("{:<3} watchpoint  {}", one.number, one.text);
}

void Console::info_line() {
    const LaneView view = debugger_.view(debugger_.focus(), level_);
    const StackFrame& here = view.here();
    say("{} in {}, instruction {} (line {} of the PTX), step {}", line_text(debugger_.text(), here.source),
        here.function, here.instruction, debugger_.text().ptx_line_of(here.instruction), debugger_.now());
}

void Console::info_displays() {
    if (displays_.all().empty()) say("There are no auto-display expressions now.");
    for (const Display* one : displays_.all()) say("{:<3} {}", one->number, words_of(*one));
}

void Console::info_findings() {
    const std::vector<Finding> findings = debugger_.block().findings();
    if (findings.empty()) say("The checks have found nothing so far.");
    for (const Finding& one : findings) say("{}: {}", ws::name_of(one.kind), one.message);
}

void Console::info_history() {
    std::string seed = debugger_.schedule() == Schedule::random ? fmt::format(" {}", debugger_.seed()) : "";
    say("step {} of {} that are recorded; schedule {}{}; checks {}", debugger_.now(), debugger_.recorded(),
        name_of(debugger_.schedule()), seed, debugger_.stops_at_findings() ? "stop" : "do not stop");
}

}  // namespace ws::debug
