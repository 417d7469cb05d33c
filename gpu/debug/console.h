#pragma once
// The debugger's commands, in gdb's words: a line of text in, lines of text out.

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/debug/debugger.h"
#include "gpu/debug/displays.h"
#include "gpu/debug/memory_cells.h"
#include "gpu/debug/panel.h"

namespace ws::debug {

class Console {
  public:
    // Whether what is asked for in all lanes is written down: a window draws it instead.
    enum class Lanes : bool { drawn, written };
    Console(Debugger& debugger, std::function<void(std::string_view)> print, Lanes lanes = Lanes::written)
        : debugger_(debugger), print_(std::move(print)), writes_lanes_(lanes == Lanes::written) {}

    // False after "quit". What a command cannot do it says, and counts as an error; nothing is lost by it. An
    // empty line repeats a step, and what else one repeats.
    bool execute(const std::string& line);
    [[nodiscard]] int errors() const { return errors_; }

    // What ended the last command that went on or back; nothing before the first, and where another block
    // begins.
    struct Halt {
        Stop stop;
        bool backwards = false;
        std::string watched;  // the expression that changed
    };
    [[nodiscard]] const std::optional<Halt>& halt() const { return halt_; }
    // What is shown after each stop.
    [[nodiscard]] const Displays& displays() const { return displays_; }
    [[nodiscard]] const MemoryWatch& memory() const { return memory_; }
    // What a command has asked for last, and how often one has asked.
    struct AskedPanel {
        std::optional<Panel> panel;
        int asks = 0;
    };
    [[nodiscard]] const AskedPanel& panel() const { return panel_; }
    [[nodiscard]] int level() const { return level_; }  // of the stack that is looked at

    // Where the focus is.
    void show_place();

  private:
    struct Command;
    [[nodiscard]] static const std::vector<Command>& commands();
    [[nodiscard]] static const Command& command_named(const std::string& word);
    void carry_out(const std::string& line);

    // ---- output
    template <typename... Values>
    void say(std::string_view format, const Values&... values) {
        print_(fmt::format(fmt::runtime(format), values...) + "\n");
    }
    void show(const Stop& stop, bool backwards);
    void show_line(SourceLine line);
    void show_displays();
    void show_display(const Display& display);
    void show_printed();
    [[nodiscard]] std::string place_text(Focus focus);
    [[nodiscard]] std::string block_text() const;
    [[nodiscard]] std::string thread_text(Focus focus) const;
    // Of all lanes of the focus's warp, eight in a row; throws DebugError where none has a value.
    [[nodiscard]] std::string lanes_text(const LaneValues& lanes);
    // A lane a row, a column for each expression that is shown in all lanes.
    void show_table();
    void repeat(const std::string& count, bool backwards, const std::function<Stop()>& move);

    // ---- commands
    void run(const std::string& rest);
    void start(const std::string& rest);
    void go_on(const std::string& rest);
    void step(const std::string& rest);
    void next(const std::string& rest);
    void step_instruction(const std::string& rest);
    void finish(const std::string& rest);
    void reverse_continue(const std::string& rest);
    void reverse_step(const std::string& rest);
    void reverse_next(const std::string& rest);
    void reverse_step_instruction(const std::string& rest);
    void reverse_finish(const std::string& rest);
    void go_to(const std::string& rest);
    void set_break(const std::string& rest);
    void set_temporary_break(const std::string& rest);
    void add_break(const std::string& rest, bool temporary);
    [[nodiscard]] SourceLine line_named(const std::string& text);
    void watch(const std::string& rest);
    void last_write(const std::string& rest);
    void remove(const std::string& rest);
    void print(const std::string& rest);
    void display(const std::string& rest);
    void undisplay(const std::string& rest);
    void examine(const std::string& rest);
    void examine_code(std::uint64_t count);
    void list(const std::string& rest);
    void info(const std::string& rest);
    void backtrace(const std::string& rest);
    void up(const std::string& rest);
    void down(const std::string& rest);
    void choose_frame(int level);
    void cuda(const std::string& rest);
    void choose_block(const std::vector<int>& place);
    void freeze(const std::string& rest);
    void thaw(const std::string& rest);
    void set(const std::string& rest);
    void help(const std::string& rest);
    void quit(const std::string& rest);

    // ---- what "info" knows
    void ask(Panel panel) { panel_ = {panel, panel_.asks + 1}; }
    void info_warps();
    void info_lanes();
    void info_locals(bool parameters);
    void info_registers(const std::string& which);
    void info_barriers();
    void info_breakpoints();
    void info_line();
    void info_displays();
    void info_findings();
    void info_history();

    Debugger& debugger_;
    std::function<void(std::string_view)> print_;
    bool writes_lanes_;
    Displays displays_;
    MemoryWatch memory_;
    AskedPanel panel_;
    int errors_ = 0;
    bool quits_ = false;
    std::optional<Halt> halt_;
    int level_ = 0;        // of the stack
    SourceLine listed_{};  // up to where
    std::string repeated_;
    std::string shown_place_;  // function, warp and block
    std::size_t printed_ = 0;  // of what the kernel prints
};

// "0-15,20", "0,2..30", "none".
[[nodiscard]] std::string lanes_of_mask(std::uint32_t mask);

}  // namespace ws::debug
