#pragma once
// The debugger of one block of a kernel on the simulated GPU: runs, steps by line or instruction, forwards
// and backwards, to breakpoints and to changes of what is watched. Windows and terminals are made of it.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gpu/debug/history.h"
#include "gpu/debug/kernel_text.h"
#include "gpu/debug/lane_view.h"
#include "gpu/debug/stops.h"

namespace ws::debug {

// Which warp goes first, where nothing is recorded yet. in_order: a warp runs until it waits at a barrier or
// ends, then the lowest one that can go on, as the simulated GPU itself has it; reverse: the highest one;
// round_robin: each an instruction in turn; random: any for a burst of instructions, by a seed.
enum class Schedule : std::uint8_t { in_order, reverse, round_robin, random };
[[nodiscard]] const char* name_of(Schedule schedule);

struct Stop {
    enum class Why : std::uint8_t {
        moved,        // to where was wanted
        breakpoint,   // `number`
        watch,        // `number`, `before` and `after`
        finding,      // `text`; the step that it is about comes next
        ended,        // the block
        failed,       // the block cannot go on: `text`
        beginning,    // of the block
        warp_ended,   // that was stepped
        only_frozen,  // warps could go on
        interrupted,
        endless  // so many steps without a stop
    };
    Why why = Why::moved;
    int number = 0;
    std::string text, before, after;
};

struct DebugTarget {
    // Starts a block, by its linear index, of memory as it is at first. May be cancelled by the flag.
    std::function<StartedBlock(std::uint64_t block, const std::atomic<bool>& cancel)> start;
    KernelSources sources;
    std::array<int, 3> grid{1, 1, 1};
    bool runs_before = true;  // starting a block runs those of lower indices
};

class Debugger {
  public:
    // `interrupt`: set from outside, ends what goes on. Throws what starting throws.
    Debugger(DebugTarget target, std::atomic<bool>& interrupt);
    Debugger(const Debugger&) = delete;
    Debugger& operator=(const Debugger&) = delete;

    // ---- what there is

    [[nodiscard]] const simt::SteppedBlock& block() const { return history_->block(); }
    // The bytes of the buffer that the launch fills, as they are now; empty where it is not one.
    [[nodiscard]] std::span<const std::byte> result() const { return history_->result(); }
    [[nodiscard]] bool runs_before() const { return target_.runs_before; }
    [[nodiscard]] KernelText& text() { return *text_; }
    [[nodiscard]] const KernelText& text() const { return *text_; }
    [[nodiscard]] std::uint64_t now() const { return history_->now(); }
    [[nodiscard]] std::uint64_t recorded() const { return history_->recorded(); }
    [[nodiscard]] std::uint64_t block_index() const { return block_index_; }
    [[nodiscard]] const std::array<int, 3>& grid() const { return target_.grid; }
    [[nodiscard]] int warps() const { return int(block().state().warps.size()); }

    // The block anew, from its first instruction; another one.
    void restart() { choose_block(block_index_); }
    void choose_block(std::uint64_t linear_index);

    [[nodiscard]] Focus focus() const { return focus_; }
    void set_focus(Focus focus) { focus_ = focus; }

    // ---- going on and back

    [[nodiscard]] Stop run();  // from here, the next instruction's breakpoint included
    [[nodiscard]] Stop go_on();
    [[nodiscard]] Stop step_line(bool over);
    [[nodiscard]] Stop step_instruction();
    [[nodiscard]] Stop finish();
    [[nodiscard]] Stop go_back();
    [[nodiscard]] Stop step_line_back(bool over);
    [[nodiscard]] Stop step_instruction_back();
    [[nodiscard]] Stop finish_back();
    [[nodiscard]] Stop go_to(std::uint64_t step);
    // In front of the last write of what the expression names, whether it changed anything; the focus becomes
    // who wrote. Nothing where nobody has. Throws DebugError for what lies in no memory.
    [[nodiscard]] bool go_to_last_write(const std::string& expression);

    // ---- who goes on

    [[nodiscard]] const std::set<int>& frozen() const { return frozen_; }
    void freeze(std::set<int> warps);
    [[nodiscard]] Schedule schedule() const { return schedule_; }
    [[nodiscard]] std::uint64_t seed() const { return seed_; }
    void set_schedule(Schedule schedule, std::uint64_t seed);
    [[nodiscard]] bool stops_at_findings() const { return stops_at_findings_; }
    void set_stops_at_findings(bool on) { stops_at_findings_ = on; }

    // ---- breakpoints and watches

    // Throws DebugError for a line without code, or a condition that is no expression.
    const Breakpoint& add_breakpoint(SourceLine line, const std::string& condition, bool temporary) {
        return stops_.add(line, condition, temporary, *text_);
    }
    const Watch& add_watch(const std::string& expression) { return stops_.add(expression, here()); }
    // False if there is none of that number.
    bool remove(int number) { return stops_.remove(number); }
    void remove_all() { stops_.clear(); }
    [[nodiscard]] const std::vector<Breakpoint>& breakpoints() const { return stops_.breakpoints(); }
    [[nodiscard]] const std::vector<Watch>& watches() const { return stops_.watches(); }

    // ---- values

    [[nodiscard]] LaneView view(Focus focus, int level = 0) {
        return {history_->block(), *text_, focus, level};
    }
    [[nodiscard]] Expression parse(const std::string& text) {
        return parse_expression(text, text_->info().types);
    }
    // Throws DebugError.
    [[nodiscard]] std::string value_text(const Expression& expression, Focus focus, int level = 0,
                                         char letter = 0);
    // Of a warp: its next instruction's line; how deep it is in functions.
    [[nodiscard]] SourceLine line_of(int warp) const;
    [[nodiscard]] int depth_of(int warp) const;

  private:
    struct Goal;
    struct Interrupted {};
    struct BackToStop;
    struct BackToLine;
    struct BackToWrite;

    [[nodiscard]] bool can_go_on(int warp) const;
    [[nodiscard]] int next_warp(bool prefers_focus) const;
    [[nodiscard]] Stop forward(const Goal& goal);
    [[nodiscard]] Stop stop_of_end() const;
    [[nodiscard]] Focus focus_of_finding(const std::string& message, int warp) const;
    [[nodiscard]] std::string new_finding(std::vector<Finding>& known) const;
    [[nodiscard]] bool is_reached(const Goal& goal, int warp, bool waited) const;
    [[nodiscard]] Stops::Here here() const { return {block(), *text_, focus_}; }
    [[nodiscard]] Stop stop_at_breakpoint(const Stops::Hit& hit);
    [[nodiscard]] Stop stop_at_change(const Stops::Change& change, int warp);
    [[nodiscard]] Stop back_to_line(bool over, bool instruction, bool finish);
    void check_interrupt() const;
    void new_schedule();

    DebugTarget target_;
    std::atomic<bool>& interrupt_;
    std::unique_ptr<History> history_;
    std::unique_ptr<KernelText> text_;
    std::uint64_t block_index_ = 0;
    Focus focus_;
    std::set<int> frozen_;
    Schedule schedule_ = Schedule::in_order;
    std::uint64_t seed_ = 0;
    bool stops_at_findings_ = true;
    Stops stops_;
};

}  // namespace ws::debug
