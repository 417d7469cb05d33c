// The commands that show values, memory, code and source.

#include <fmt/format.h>

#include <algorithm>

#include "gpu/debug/console.h"
#include "gpu/debug/console_words.h"
#include "gpu/debug/value_text.h"

namespace ws::debug {
namespace {

constexpr int kLinesListed = 10;

}  // namespace

// ---- values

namespace {

// A lane's value: in parentheses if it is not active, with an asterisk if it has changed.
std::string cell_text(const simt::SteppedBlock& block, const LaneValues& lanes, Focus at) {
    const auto lane = unsigned(at.lane);
    std::string text = (lanes.lanes >> lane & 1u) == 0              ? "."
                       : lanes.values[std::size_t(at.lane)].empty() ? "?"
                                                                    : lanes.values[std::size_t(at.lane)];
    if (!is_active(block, at)) text = fmt::format("({})", text);
    if (lanes.changed != 0) text += (lanes.changed >> lane & 1u) != 0 ? '*' : ' ';
    return text;
}

}  // namespace

std::string Console::lanes_text(const LaneValues& lanes) {
    if (!lanes.problem.empty()) throw DebugError(lanes.problem);
    std::vector<std::string> cells;
    std::size_t width = 1;
    for (int lane = 0; lane < simt::kLanes; ++lane) {
        cells.push_back(cell_text(debugger_.block(), lanes, {debugger_.focus().warp, lane}));
        width = std::max(width, cells.back().size());
    }
    const std::size_t across = width > 24 ? 1 : width > 11 ? 4 : 8;
    std::string made;
    for (std::size_t first = 0; first < cells.size(); first += across) {
        std::string row = fmt::format("{:>4}:", first);
        for (std::size_t i = first; i < first + across; ++i) row += fmt::format("  {:>{}}", cells[i], width);
        made += (first > 0 ? "\n" : "") + row.substr(0, row.find_last_not_of(' ') + 1);
    }
    return made;
}

void Console::show_table() {
    std::vector<std::vector<std::string>> rows{{"lane", "thread"}};
    const int warp = debugger_.focus().warp;
    for (int lane = 0; lane < simt::kLanes; ++lane)
        rows.push_back({std::to_string(lane), thread_text({warp, lane})});
    for (const Display* one : displays_.all()) {
        if (!one->whole_warp) continue;
        const LaneValues lanes = displays_.values(debugger_, *one, level_);
        rows.front().push_back(fmt::format("{}: {}", one->number, one->text));
        for (int lane = 0; lane < simt::kLanes; ++lane)
            rows[std::size_t(lane) + 1].push_back(cell_text(debugger_.block(), lanes, {warp, lane}));
    }
    if (rows.front().size() == 2) throw DebugError("nothing is displayed in all lanes: display/w EXPRESSION");
    say("warp {}; inactive lanes in parentheses, * has changed since the stop before", warp);
    print_(table_of(rows, "rlr"));
}

void Console::print(const std::string& rest) {
    const FormattedText asked = split_format(rest);
    Display made{0, asked.text, debugger_.parse(asked.text), asked.whole_warp, asked.letter};
    if (!asked.whole_warp)
        return say("{} = {}", asked.text,
                   debugger_.value_text(made.expression, debugger_.focus(), level_, asked.letter));
    const int warp = debugger_.focus().warp;
    const std::string lanes = lanes_text(lane_values(debugger_, made.expression, warp, level_, asked.letter));
    if (writes_lanes_) say("{}, warp {}; inactive lanes in parentheses\n{}", asked.text, warp, lanes);
    displays_.ask(debugger_, std::move(made));
}

void Console::display(const std::string& rest) {
    if (rest.empty()) return show_displays();
    const FormattedText asked = split_format(rest);
    if (asked.text.empty() && asked.whole_warp) return show_table();
    show_display(displays_.add(debugger_,
                               {0, asked.text, debugger_.parse(asked.text), asked.whole_warp, asked.letter}));
}

void Console::undisplay(const std::string& rest) {
    if (rest.empty()) return displays_.clear();
    for (const int number : whole_numbers_in(rest)) {
        if (!displays_.remove(number)) throw DebugError(fmt::format("No display number {}.", number));
    }
}

void Console::examine(const std::string& rest) {
    const ExamineFormat format = split_examine(rest);
    if (format.letter == 'i') {
        if (!format.text.empty())
            throw DebugError("x/i shows the code from the next instruction on, and takes no address");
        ask(Panel::registers);
        return examine_code(format.count);
    }
    const MemoryCells memory = memory_cells(debugger_, format, level_);
    const std::size_t across = format.bytes == 8 ? 2 : format.bytes == 1 ? 8 : 4;
    for (std::size_t first = 0; first < memory.cells.size(); first += across) {
        std::string line = fmt::format("{:#x}:", memory.address + first * memory.bytes);
        for (std::size_t i = first; i < std::min(first + across, memory.cells.size()); ++i)
            line += "\t" + memory.cells[i];
        say("{}", line);
    }
    if (!memory.cells.empty()) memory_.choose(format);
    ask(Panel::memory);
    if (!memory.problem.empty()) throw DebugError(memory.problem);
}

void Console::examine_code(std::uint64_t count) {
    const LaneView view = debugger_.view(debugger_.focus(), level_);
    const int first = debugger_.text().ptx_line_of(view.here().instruction);
    const std::vector<std::string>& lines = debugger_.text().ptx().lines;
    for (std::size_t i = std::size_t(first); count > 0 && i <= lines.size(); ++i) {
        const std::string text = trimmed_word(lines[i - 1]);
        if (text.empty() || text.front() == '.' || text.starts_with("//")) continue;
        say("{} {:>5}\t{}", int(i) == first ? "=>" : "  ", i, text);
        if (text.back() != ':') --count;
    }
}

// ---- where it is

void Console::list(const std::string& rest) {
    SourceLine at = listed_;
    if (!rest.empty() || at.line == 0) {
        at = line_named(rest);
        at.line = std::max(1, at.line - kLinesListed / 2);
    }
    const auto& lines = debugger_.text().files()[std::size_t(at.file)].lines;
    if (std::size_t(at.line) > lines.size())
        throw DebugError(fmt::format("{} has {} lines", debugger_.text().files()[std::size_t(at.file)].name,
                                     lines.size()));
    const SourceLine here = debugger_.view(debugger_.focus(), level_).here().source;
    for (int i = 0; i < kLinesListed && std::size_t(at.line) <= lines.size(); ++i, ++at.line)
        say("{:>5} {:<2} {}", at.line, at == here ? "=>" : "", lines[std::size_t(at.line) - 1]);
    listed_ = at;
}

void Console::backtrace(const std::string& rest) {
    refuse_rest(rest);
    ask(Panel::stack);
    const LaneView view = debugger_.view(debugger_.focus());
    for (std::size_t i = 0; i < view.stack().size(); ++i) {
        const StackFrame& frame = view.stack()[i];
        const std::string where =
            frame.source.line > 0
                ? fmt::format(" at {}:{}", debugger_.text().files()[std::size_t(frame.source.file)].name,
                              frame.source.line)
                : "";
        say("{}#{}  {} (){}{}", int(i) == level_ ? "*" : " ", i, frame.function, where,
            frame.inlined ? ", inlined" : "");
    }
}

void Console::choose_frame(int level) {
    const LaneView view = debugger_.view(debugger_.focus());
    if (level < 0) throw DebugError("Bottom (innermost) frame selected; you can't go down.");
    if (std::size_t(level) >= view.stack().size())
        throw DebugError("Initial frame selected; you can't go up.");
    level_ = level;
    show_place();
}
void Console::up(const std::string& rest) {
    refuse_rest(rest);
    choose_frame(level_ + 1);
}
void Console::down(const std::string& rest) {
    refuse_rest(rest);
    choose_frame(level_ - 1);
}

}  // namespace ws::debug
