#include "gpu/debug/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "gpu/core/error.h"
#include "gpu/debug/console_words.h"
#include "gpu/debug/value_text.h"

namespace ws::debug {

struct Console::Command {
    const char* name;
    std::vector<const char*> short_names;
    const char* arguments;
    const char* help;
    void (Console::*run)(const std::string&);
    bool repeats = false;  // by an empty line
};

const std::vector<Console::Command>& Console::commands() {
    static const std::vector<Command> kCommands{
        {"run", {"r"}, "", "the block from its beginning, to the first stop", &Console::run},
        {"start",
         {},
         "",
         "the block from its beginning, and stop at the kernel's first line",
         &Console::start},
        {"continue", {"c"}, "[N]", "on to the next stop, or the N-th", &Console::go_on, true},
        {"step", {"s"}, "[N]", "the focus's warp to another line, into functions, too", &Console::step, true},
        {"next", {"n"}, "[N]", "likewise, but over functions", &Console::next, true},
        {"stepi", {"si"}, "[N]", "one instruction of the focus's warp", &Console::step_instruction, true},
        {"finish", {"fin"}, "", "until the function has returned", &Console::finish},
        {"reverse-continue",
         {"rc"},
         "[N]",
         "back to the stop before: a breakpoint, or a change of what is watched",
         &Console::reverse_continue,
         true},
        {"reverse-step", {"rs"}, "[N]", "back to the beginning of a line", &Console::reverse_step, true},
        {"reverse-next", {"rn"}, "[N]", "likewise, but over functions", &Console::reverse_next, true},
        {"reverse-stepi",
         {"rsi"},
         "[N]",
         "back by an instruction of the focus's warp",
         &Console::reverse_step_instruction,
         true},
        {"reverse-finish", {}, "", "back to where the function was called", &Console::reverse_finish},
        {"goto", {}, "STEP", "to a step of the history, by its number", &Console::go_to},
        {"break",
         {"b"},
         "LINE|FILE:LINE|FUNCTION [if EXPRESSION]",
         "stop there; with a condition, if it holds in one of the lanes",
         &Console::set_break},
        {"tbreak",
         {"tb"},
         "LINE|FILE:LINE|FUNCTION [if EXPRESSION]",
         "likewise, once",
         &Console::set_temporary_break},
        {"watch",
         {},
         "EXPRESSION",
         "stop when it changes: a place in memory, or an expression in this lane",
         &Console::watch},
        {"last-write",
         {"lw"},
         "EXPRESSION",
         "back to the last write of it, changed or not",
         &Console::last_write},
        {"delete", {"d"}, "[N...]", "breakpoints and watches; without numbers all", &Console::remove},
        {"print",
         {"p", "output"},
         "[/FORMAT] EXPRESSION",
         "in the focus's lane; /w in all lanes of its warp, /x hexadecimal, /d, /u, /t, /c, /f",
         &Console::print},
        {"display",
         {},
         "[/FORMAT] [EXPRESSION]",
         "print it after each stop; /w in all lanes, * where it has changed; /w alone: all of them as a "
         "table",
         &Console::display},
        {"undisplay", {}, "[N...]", "no longer; without numbers none", &Console::undisplay},
        {"x",
         {},
         "[/NFU] ADDRESS",
         "memory: N of them, F x d u f c t, U b h w g; /Ni: the PTX from here on",
         &Console::examine},
        {"list",
         {"l"},
         "[LINE]",
         "the source around the focus or a line, then what follows",
         &Console::list,
         true},
        {"info",
         {"i"},
         "WHAT",
         "warps, lanes, locals, args, registers, barriers, breakpoints, line, display, findings, history",
         &Console::info},
        {"backtrace", {"bt", "where"}, "", "the functions that the focus's lane is in", &Console::backtrace},
        {"up", {}, "", "look from the calling function", &Console::up},
        {"down", {}, "", "look from the called function", &Console::down},
        {"cuda",
         {},
         "[block (X,Y,Z)] [thread (X,Y,Z)] [warp N] [lane N]",
         "choose the focus; another block begins anew",
         &Console::cuda},
        {"freeze", {}, "N...|all|others", "warps that do not go on", &Console::freeze},
        {"thaw", {}, "[N...]", "they go on again; without numbers all", &Console::thaw},
        {"set",
         {},
         "schedule in-order|reverse|round-robin|random [SEED], checks on|off",
         "which warp goes first; whether findings of the checks stop",
         &Console::set},
        {"help", {"h"}, "[COMMAND]", "this", &Console::help},
        {"quit", {"q", "exit"}, "", "end", &Console::quit}};
    return kCommands;
}

const Console::Command& Console::command_named(const std::string& word) {
    const Command* found = nullptr;
    std::string names;
    for (const Command& one : commands()) {
        const bool is_short = std::any_of(one.short_names.begin(), one.short_names.end(),
                                          [&](const char* name) { return word == name; });
        if (word == one.name || is_short) return one;
        if (!std::string_view(one.name).starts_with(word)) continue;
        found = &one;
        names += (names.empty() ? "" : ", ") + std::string(one.name);
    }
    if (!found) throw DebugError(fmt::format("Undefined command: \"{}\". Try \"help\".", word));
    if (names.find(',') != std::string::npos)
        throw DebugError(fmt::format("Ambiguous command \"{}\": {}.", word, names));
    return *found;
}

bool Console::execute(const std::string& line) {
    try {
        carry_out(line);
    } catch (const DebugError& error) {
        ++errors_;
        say("{}", error.what());
    } catch (const Error& error) {
        ++errors_;
        say("{}", error.what());
    }
    return !quits_;
}

void Console::carry_out(const std::string& line) {
    std::string text = trimmed_word(line);
    if (text.empty()) text = repeated_;
    repeated_.clear();
    if (text.empty() || text.front() == '#') return;
    std::size_t end = 0;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '-'))
        ++end;
    const std::string word = text.substr(0, end);
    const Command& command = command_named(end == 0 ? text : word);
    const std::string rest = trimmed_word(text.substr(end));
    if (command.repeats)
        repeated_ = command.name + std::string(command.name == std::string("list") ? "" : " " + rest);
    (this->*command.run)(rest);
}

// ---- output

std::string Console::block_text() const {
    const simt::BlockPlace& place = debugger_.block().state().worker.place;
    return fmt::format("({}, {}, {})", place.block[0], place.block[1], place.block[2]);
}

std::string Console::thread_text(Focus focus) const {
    const std::array<int, 3> thread = thread_of(debugger_.block(), focus);
    return fmt::format("({}, {}, {})", thread[0], thread[1], thread[2]);
}

std::string Console::place_text(Focus focus) {
    const LaneView view = debugger_.view(focus, level_);
    const StackFrame& here = view.here();
    const std::string where =
        here.source.line > 0
            ? fmt::format(" at {}:{}", debugger_.text().files()[std::size_t(here.source.file)].name,
                          here.source.line)
            : "";
    return fmt::format("{} (){}, block {}, thread {}, warp {}, lane {}", here.function, where, block_text(),
                       thread_text(focus), focus.warp, focus.lane);
}

void Console::show_line(SourceLine line) {
    if (line.line > 0) say("{}\t{}", line.line, debugger_.text().text_of(line));
    listed_ = {};
}

void Console::show_place() {
    const Focus focus = debugger_.focus();
    const LaneView view = debugger_.view(focus, level_);
    shown_place_ = fmt::format("{} {} {}", view.here().function, focus.warp, debugger_.block_index());
    say("{}", place_text(focus));
    show_line(view.here().source);
    if (!is_active(debugger_.block(), focus)) say("[This lane is not active: others of its warp go first.]");
}

void Console::show_display(const Display& one) {
    if (one.whole_warp && !writes_lanes_) return;
    try {
        if (one.whole_warp)
            say("{}: {}\n{}", one.number, words_of(one),
                lanes_text(displays_.values(debugger_, one, level_)));
        else
            say("{}: {} = {}", one.number, one.text,
                debugger_.value_text(one.expression, debugger_.focus(), level_, one.letter));
    } catch (const DebugError& error) {
        say("{}: {}: {}", one.number, one.text, error.what());
    }
}

void Console::show_displays() {
    for (const Display* one : displays_.all()) show_display(*one);
}

void Console::show_printed() {
    const std::string text = debugger_.block().printed();
    if (text.size() > printed_) print_(text.substr(printed_));
    printed_ = text.size();
}

void Console::show(const Stop& stop, bool backwards) {
    level_ = 0;
    displays_.stopped(debugger_);
    memory_.stopped(debugger_);
    show_printed();
    const Focus focus = debugger_.focus();
    const auto watched = [&] {
        for (const Watch& one : debugger_.watches()) {
            if (one.number == stop.number) return one.text;
        }
        return std::string();
    };
    halt_ = Halt{stop, backwards, watched()};
    switch (stop.why) {
        case Stop::Why::breakpoint:
            shown_place_.clear();
            print_(fmt::format("Breakpoint {}, ", stop.number));
            break;
        case Stop::Why::watch:
            shown_place_.clear();
            say(backwards ? "Watchpoint {}: {} is {}; the next instruction makes it {}"
                          : "Watchpoint {}: {} was {}, and is {}",
                stop.number, watched(), stop.before, stop.after);
            break;
        case Stop::Why::finding:
            shown_place_.clear();
            say("Check: {}\n[The next instruction does it.]", stop.text);
            break;
        case Stop::Why::failed:
            shown_place_.clear();
            say("[The block cannot go on: {}]", stop.text);
            break;
        case Stop::Why::ended:
            say("[The block has ended, after {} steps.]", debugger_.now());
            break;
        case Stop::Why::beginning:
            say("[The beginning of the block.]");
            break;
        case Stop::Why::warp_ended:
            say("[Warp {} has ended.]", focus.warp);
            break;
        case Stop::Why::only_frozen:
            say("[Only frozen warps can go on: {}. Thaw one.]", fmt::join(debugger_.frozen(), ", "));
            break;
        case Stop::Why::interrupted:
            say("[Interrupted at step {}.]", debugger_.now());
            break;
        case Stop::Why::endless:
            say("[{}: an endless loop? continue goes on.]", stop.text);
            break;
        case Stop::Why::moved:
            break;
    }
    if (stop.why == Stop::Why::ended || stop.why == Stop::Why::warp_ended) return show_displays();
    const LaneView view = debugger_.view(focus);
    const std::string place =
        fmt::format("{} {} {}", view.here().function, focus.warp, debugger_.block_index());
    if (place != shown_place_) {
        show_place();
    } else {
        const SourceLine line = view.here().source;
        if (line.line > 0)
            show_line(line);
        else
            say("{}", place_text(focus));
    }
    show_displays();
}

// ---- who is looked at, who goes on

void Console::choose_block(const std::vector<int>& place) {
    const std::array<int, 3>& grid = debugger_.grid();
    std::array<int, 3> at{};
    for (std::size_t i = 0; i < place.size() && i < 3; ++i) at[i] = place[i];
    for (std::size_t i = 0; i < 3; ++i) {
        if (at[i] < 0 || at[i] >= grid[i])
            throw DebugError(fmt::format("the grid has {} x {} x {} blocks", grid[0], grid[1], grid[2]));
    }
    const std::uint64_t linear =
        (std::uint64_t(at[2]) * std::uint64_t(grid[1]) + std::uint64_t(at[1])) * std::uint64_t(grid[0]) +
        std::uint64_t(at[0]);
    if (linear == debugger_.block_index()) return;
    debugger_.choose_block(linear);
    printed_ = debugger_.block().printed().size();
    halt_.reset();
    if (debugger_.runs_before())
        say("[Block {} begins; the {} before it {} run.]", block_text(), linear,
            linear == 1 ? "has" : "have");
    else
        say("[Block {} begins.]", block_text());
}

void Console::cuda(const std::string& rest) {
    for (const auto& [what, numbers] : coordinates_in(rest)) {
        Focus focus = debugger_.focus();
        if (what == "block") {
            choose_block(numbers);
        } else if (what == "thread") {
            std::array<int, 3> thread{};
            for (std::size_t i = 0; i < numbers.size(); ++i) thread[i] = numbers[i];
            const std::optional<Focus> found = focus_of(debugger_.block(), thread);
            const simt::Shape& shape = debugger_.block().launch().block;
            if (!found)
                throw DebugError(
                    fmt::format("a block has {} x {} x {} threads", shape[0], shape[1], shape[2]));
            debugger_.set_focus(*found);
        } else {
            (what == "warp" ? focus.warp : focus.lane) = numbers.front();
            const simt::Shape& shape = debugger_.block().launch().block;
            const int threads = shape[0] * shape[1] * shape[2];
            const bool within = focus.warp >= 0 && focus.warp < debugger_.warps() && focus.lane >= 0 &&
                                focus.lane < simt::kLanes;
            if (within && what == "warp" && focus.warp * simt::kLanes + focus.lane >= threads) focus.lane = 0;
            if (!within || focus.warp * simt::kLanes + focus.lane >= threads)
                throw DebugError(fmt::format("the block has warps 0 to {}, and {} threads",
                                             debugger_.warps() - 1, threads));
            debugger_.set_focus(focus);
        }
    }
    level_ = 0;
    show_place();
    show_displays();
}

void Console::freeze(const std::string& rest) {
    std::set<int> frozen = debugger_.frozen();
    if (rest == "all" || rest == "others") {
        for (int warp = 0; warp < debugger_.warps(); ++warp) {
            if (rest == "all" || warp != debugger_.focus().warp) frozen.insert(warp);
        }
        if (rest == "others") frozen.erase(debugger_.focus().warp);
    } else {
        const std::vector<int> numbers = whole_numbers_in(rest);
        if (numbers.empty())
            throw DebugError("freeze takes numbers of warps, all, or others (than the focus's)");
        for (const int warp : numbers) {
            if (warp >= debugger_.warps())
                throw DebugError(fmt::format("the block has warps 0 to {}", debugger_.warps() - 1));
            frozen.insert(warp);
        }
    }
    debugger_.freeze(frozen);
    say("Frozen: {}", fmt::join(frozen, ", "));
}

void Console::thaw(const std::string& rest) {
    std::set<int> frozen = debugger_.frozen();
    if (rest.empty() || rest == "all")
        frozen.clear();
    else
        for (const int warp : whole_numbers_in(rest)) frozen.erase(warp);
    debugger_.freeze(frozen);
    if (frozen.empty())
        say("No warp is frozen.");
    else
        say("Frozen: {}", fmt::join(frozen, ", "));
}

void Console::set(const std::string& rest) {
    const std::vector<std::string> words = words_in(rest);
    const auto usage = [] {
        return DebugError("set schedule in-order|reverse|round-robin|random [SEED], or set checks on|off");
    };
    if (words.size() < 2) throw usage();
    if (words[0] == "checks" && words.size() == 2 && (words[1] == "on" || words[1] == "off"))
        return debugger_.set_stops_at_findings(words[1] == "on");
    if (words[0] != "schedule" || words.size() > 3) throw usage();
    for (const Schedule one :
         {Schedule::in_order, Schedule::reverse, Schedule::round_robin, Schedule::random}) {
        if (words[1] != name_of(one) || (words.size() == 3 && one != Schedule::random)) continue;
        const int seed = words.size() == 3 ? whole_number_in(words[2], 0, 1'000'000'000) : 0;
        return debugger_.set_schedule(one, std::uint64_t(seed));
    }
    throw usage();
}

void Console::help(const std::string& rest) {
    if (!rest.empty()) {
        const Command& one = command_named(rest);
        std::string shorter;
        for (const char* name : one.short_names) shorter += std::string(", ") + name;
        say("{}{} {}\n    {}", one.name, shorter, one.arguments, one.help);
        return;
    }
    for (const Command& one : commands()) {
        const std::string names =
            one.short_names.empty() ? one.name : fmt::format("{} ({})", one.name, one.short_names.front());
        say("{:<22} {}", names, one.help);
    }
    say("A beginning is enough where no other command has it; an empty line repeats a step.");
}

void Console::quit(const std::string& rest) {
    refuse_rest(rest);
    quits_ = true;
}

}  // namespace ws::debug
