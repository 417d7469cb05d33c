// The commands that go on and back, and those that say where to stop.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gpu/core/numbers.h"
#include "gpu/debug/console.h"
#include "gpu/debug/console_words.h"

namespace ws::debug {
namespace {

constexpr int kMostRepeats = 1'000'000;

}  // namespace

// ---- going on and back

void Console::repeat(const std::string& count, bool backwards, const std::function<Stop()>& move) {
    const int times = count.empty() ? 1 : whole_number_in(count, 1, kMostRepeats);
    Stop stop;
    for (int i = 0; i < times; ++i) {
        const std::uint64_t before = debugger_.now();
        stop = move();
        const bool goes_on =
            stop.why == Stop::Why::moved || stop.why == Stop::Why::breakpoint || stop.why == Stop::Why::watch;
        if (!goes_on || debugger_.now() == before) break;
    }
    show(stop, backwards);
}

void Console::run(const std::string& rest) {
    refuse_rest(rest);
    debugger_.restart();
    printed_ = 0;
    show(debugger_.run(), false);
}

void Console::start(const std::string& rest) {
    refuse_rest(rest);
    debugger_.restart();
    printed_ = 0;
    debugger_.set_focus({0, 0});
    Stop stop;
    stop = debugger_.step_line(true);
    shown_place_.clear();
    show(stop, false);
}

void Console::go_on(const std::string& rest) {
    repeat(rest, false, [&] { return debugger_.go_on(); });
}
void Console::step(const std::string& rest) {
    repeat(rest, false, [&] { return debugger_.step_line(false); });
}
void Console::next(const std::string& rest) {
    repeat(rest, false, [&] { return debugger_.step_line(true); });
}
void Console::step_instruction(const std::string& rest) {
    repeat(rest, false, [&] { return debugger_.step_instruction(); });
    if (!debugger_.block().ended()) examine_code(1);
}
void Console::finish(const std::string& rest) {
    refuse_rest(rest);
    show(debugger_.finish(), false);
}
void Console::reverse_continue(const std::string& rest) {
    repeat(rest, true, [&] { return debugger_.go_back(); });
}
void Console::reverse_step(const std::string& rest) {
    repeat(rest, true, [&] { return debugger_.step_line_back(false); });
}
void Console::reverse_next(const std::string& rest) {
    repeat(rest, true, [&] { return debugger_.step_line_back(true); });
}
void Console::reverse_step_instruction(const std::string& rest) {
    repeat(rest, true, [&] { return debugger_.step_instruction_back(); });
    examine_code(1);
}
void Console::reverse_finish(const std::string& rest) {
    refuse_rest(rest);
    show(debugger_.finish_back(), true);
}

void Console::go_to(const std::string& rest) {
    const std::optional<std::uint64_t> step = parse_number<std::uint64_t>(rest);
    if (!step) throw DebugError("goto takes the number of a step, as \"info history\" has them");
    show(debugger_.go_to(*step), true);
}

// ---- breakpoints and watches

SourceLine Console::line_named(const std::string& text) {
    const LaneView view = debugger_.view(debugger_.focus(), level_);
    const auto& files = debugger_.text().files();
    if (text.empty()) {
        if (view.here().source.line == 0) throw DebugError("no line is known here");
        return view.here().source;
    }
    if (const std::optional<int> line = parse_number<int>(text)) {
        if (*line < 1) throw DebugError("lines are counted from 1");
        return {std::max(0, view.here().source.line > 0 ? view.here().source.file : 0), *line};
    }
    if (const std::size_t colon = text.rfind(':');
        colon != std::string::npos && colon > 0 && text[colon - 1] != ':') {
        const std::optional<int> line = parse_number<int>(text.substr(colon + 1));
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (line && *line >= 1 && files[i].name == text.substr(0, colon)) return {int(i), *line};
        }
        throw DebugError(fmt::format("there is no line \"{}\"", text));
    }
    // A function: the line behind its opening one.
    for (const Scope& scope : debugger_.text().info().scopes) {
        if (scope.function != text || scope.inlined) continue;
        SourceLine first{};
        const simt::Program& program = debugger_.block().program();
        for (std::size_t i = 0; i < program.code.size(); ++i) {
            if (!scope.range.holds(program.ptx_lines[i])) continue;
            const SourceLine line = debugger_.text().source_of(int(i));
            if (line.line == 0) continue;
            if (first.line == 0) first = line;
            if (line != first) return line;
        }
        if (first.line > 0) return first;
    }
    throw DebugError(fmt::format("there is no line and no function \"{}\" in the code that runs", text));
}

void Console::add_break(const std::string& rest, bool temporary) {
    const auto [where, condition] = split_condition(rest);
    const SourceLine line = line_named(where);
    const Breakpoint& made = debugger_.add_breakpoint(line, condition, temporary);
    say("{} {} at {}:{}{}", temporary ? "Temporary breakpoint" : "Breakpoint", made.number,
        debugger_.text().files()[std::size_t(made.line.file)].name, made.line.line,
        made.line != line ? fmt::format(", line {} has no code", line.line) : "");
}
void Console::set_break(const std::string& rest) {
    add_break(rest, false);
}
void Console::set_temporary_break(const std::string& rest) {
    add_break(rest, true);
}

void Console::watch(const std::string& rest) {
    const Watch& made = debugger_.add_watch(rest);
    say("Watchpoint {}: {}{}", made.number, made.text,
        made.address ? fmt::format(", {} bytes at {:#x}", made.bytes, *made.address)
                     : fmt::format(", in warp {}, lane {}", made.focus.warp, made.focus.lane));
}

void Console::last_write(const std::string& rest) {
    if (!debugger_.go_to_last_write(rest)) {
        say("Nothing has written {} so far.", rest);
        return;
    }
    shown_place_.clear();
    say("[Step {}: the next instruction writes {}.]", debugger_.now(), rest);
    show({}, true);
}

void Console::remove(const std::string& rest) {
    if (rest.empty()) return debugger_.remove_all();
    for (const int number : whole_numbers_in(rest)) {
        if (!debugger_.remove(number)) throw DebugError(fmt::format("No breakpoint number {}.", number));
    }
}

}  // namespace ws::debug
