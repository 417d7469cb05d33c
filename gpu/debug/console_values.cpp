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

void Console::print(const std::string& rest) {
    const FormattedText asked = split_format(rest);
    const Expression expression = debugger_.parse(asked.text);
    if (asked.whole_warp) {
        say("{}, warp {}; inactive lanes in parentheses\n{}", asked.text, debugger_.focus().warp,
            lanes_text(expression, asked.letter));
        lanes_ = asked.text;
    } else {
        say("{} = {}", asked.text, debugger_.value_text(expression, debugger_.focus(), level_, asked.letter));
    }
}

void Console::display(const std::string& rest) {
    if (rest.empty()) return show_displays();
    const FormattedText asked = split_format(rest);
    displays_.push_back(
        {++last_display_, asked.text, debugger_.parse(asked.text), asked.whole_warp, asked.letter});
    show_displays();
}

void Console::undisplay(const std::string& rest) {
    if (rest.empty()) return displays_.clear();
    for (const int number : whole_numbers_in(rest)) {
        if (std::erase_if(displays_, [number](const Display& one) { return one.number == number; }) == 0)
            throw DebugError(fmt::format("No display number {}.", number));
    }
}

void Console::examine(const std::string& rest) {
    const ExamineFormat format = split_examine(rest);
    if (format.letter == 'i') {
        if (!format.text.empty())
            throw DebugError("x/i shows the code from the next instruction on, and takes no address");
        return examine_code(format.count);
    }
    const LaneView view = debugger_.view(debugger_.focus(), level_);
    TypeTable& types = debugger_.text().info().types;
    const Value value = evaluate(debugger_.parse(format.text), types, view);
    const Type& type = types[value.type];
    if (type.kind == TypeKind::floating || (type.kind == TypeKind::structure && !value.address))
        throw DebugError(fmt::format("{} is no address", format.text));
    const std::uint64_t address =
        type.kind == TypeKind::structure ? *value.address : debug::bits_of(value, types, view);
    Type cell;
    cell.bytes = format.bytes;
    cell.is_signed = format.letter == 'd' || format.letter == 'c';
    cell.kind = format.letter == 'f' && format.bytes >= 4 ? TypeKind::floating : TypeKind::integer;
    TypeTable cells;
    const int cell_type = cells.add(cell);
    const std::uint64_t across = format.bytes == 8 ? 2 : format.bytes == 1 ? 8 : 4;
    std::string line;
    for (std::uint64_t i = 0; i < format.count; ++i) {
        const std::uint64_t at = address + i * format.bytes;
        if (view.memory(at, format.bytes).empty()) {
            if (!line.empty()) say("{}", line);
            throw DebugError(fmt::format("Cannot access memory at address {:#x}", at));
        }
        if (i % across == 0) {
            if (!line.empty()) say("{}", line);
            line = fmt::format("{:#x}:", at);
        }
        line += "\t" + text_of({cell_type, 0, at, 0, 0}, cells, view, format.letter);
    }
    if (!line.empty()) say("{}", line);
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
