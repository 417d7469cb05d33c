#pragma once
// What the page of the source shows, as values: which lines are folded, whose counts stand beside them, what
// is wrong with one, and where keys lead.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "gpu/core/snapshot.h"

namespace ws {

// Lines that a person wants to see.
struct SourceChoice {
    bool removed = true;        // of the baseline, those that are gone
    bool folds = true;          // runs without a change are one row
    std::span<const int> open;  // lines whose folds are open all the same
};

// A row: one line, or a run of lines that is folded.
struct SourceRow {
    std::size_t first = 0, last = 0;  // places in SourceLines::lines
    bool folded = false;
};
// The rows one after the other.
class SourceRows {
  public:
    SourceRows(const SourceLines& lines, const SourceChoice& choice) : lines_(lines), choice_(choice) {}
    [[nodiscard]] std::optional<SourceRow> next();

  private:
    [[nodiscard]] bool quiet(std::size_t at) const;  // neither changed nor beside a change
    const SourceLines& lines_;
    const SourceChoice& choice_;
    std::size_t at_ = 0;
    std::size_t open_until_ = 0;
};

// Counts of a line of a kernel's text; null where it executes nothing.
[[nodiscard]] const InstructionCounts* counts_of(const KernelCounters* counters, int line);
// The counters of the step's own file; null where those that are there are of another one.
[[nodiscard]] const KernelCounters* own_counters(const StepSnapshot& step);
// The baseline's kernel for the same step as it was counted, as long as it is known; else null.
[[nodiscard]] const StepResult* before_result(const Snapshot& snapshot, const StepSnapshot& step);
// Of a line of the source as it is now: the line of the text that was counted; 0: none.
[[nodiscard]] int counted_line(const SourceLines& lines, int line);
// And the other way round.
[[nodiscard]] int shown_line(const SourceLines& lines, int counted);

// What the clock of a multiprocessor says of the step's own file; null where none ran it.
[[nodiscard]] const ClockedLaunch* own_clock(const StepSnapshot& step);
// The share of the warps' clocks that they spend at a line, 0 to 1, of all their clocks.
[[nodiscard]] double time_share(const ClockedLaunch& clocked, int line);
// What warps wait for at a line, what they do most first; a share of the line's clocks, 0: no more.
struct LineWait {
    WarpState state = WarpState::memory;
    double share = 0;
};
inline constexpr std::size_t kLineWaits = 2;
[[nodiscard]] std::array<LineWait, kLineWaits> waits_at(const ClockedLaunch* clocked, int line);

// What is wrong with the step's source, where it is known in which line.
struct SourceTrouble {
    enum class Kind : std::uint8_t { compile, refused };
    Kind kind = Kind::compile;
    int line = 0;
    std::string_view message;  // "identifier "__syncthread" is undefined"
    std::string_view token;    // the part of the line that it names, if any
};
// From a compiler's log, `name.cu(57): error: ...`, or `name.cu:57: ...` where a file cannot be read.
[[nodiscard]] std::optional<SourceTrouble> compile_trouble(std::string_view log, std::string_view name);
[[nodiscard]] std::optional<SourceTrouble> trouble_of(const Snapshot& snapshot, const StepSnapshot& step);

// Kinds of traffic that a line may have; none: it reads and writes no memory.
enum class Traffic : std::uint8_t { none, global_load, global_store, shared_load, shared_store };
// That with the most sectors or wavefronts.
[[nodiscard]] Traffic traffic_of(const InstructionCounts& counts);
// An example of one warp in that line; null without one.
[[nodiscard]] const AccessExample* example_of(const KernelCounters* counters, int counted_line);

// A quantity that lines share out among themselves.
struct LineQuantity {
    std::string_view key;   // of its text
    std::string_view name;  // the pattern of a Shift
    double (*of)(const InstructionCounts&);
};
[[nodiscard]] std::span<const LineQuantity> line_quantities();
// The one that explains most of the change against the baseline, else warp instructions.
[[nodiscard]] const LineQuantity& told_quantity(const Snapshot& snapshot, const StepSnapshot& step);
// The line with the most of it in the text that was counted; 0: none has any.
[[nodiscard]] int top_line(const KernelCounters& counters, const LineQuantity& quantity);

// The line whose warp is shown: the one that is chosen, else the one that the headline names.
[[nodiscard]] int chosen_line(const Snapshot& snapshot, const StepSnapshot& step, int chosen);

// Where a key leads to: a line of the source, or 0 to stay.
enum class SourceJump : std::uint8_t { line, change, hottest, trouble };
[[nodiscard]] int jump_target(const Snapshot& snapshot, const StepSnapshot& step, const SourceChoice& choice,
                              int from, SourceJump jump, int by);

}  // namespace ws
