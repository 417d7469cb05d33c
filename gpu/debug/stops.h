#pragma once
// What a debugger stops at: breakpoints, by line and condition, and watches of what changes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/debug/kernel_text.h"
#include "gpu/debug/lane_view.h"

namespace ws::debug {

struct Breakpoint {
    int number = 0;
    SourceLine line;
    std::vector<int> instructions;  // with which its code begins
    std::string condition;          // as it was written; empty: none
    std::optional<Expression> when;
    bool temporary = false;
    int hits = 0;
};

// What is stopped at once it changes: a place in memory, or an expression in one lane.
struct Watch {
    int number = 0;
    std::string text;
    Expression expression;
    Focus focus;                           // whose it is
    std::optional<std::uint64_t> address;  // generic; without one the expression is evaluated
    std::uint64_t bytes = 0;
    int type = 0;
};

// Whether a lane of the warp wrote there. A place in local memory is that of one lane, `owner`.
[[nodiscard]] bool wrote(const simt::LaneWrite& write, int warp, std::uint64_t address, std::uint64_t bytes,
                         Focus owner);

class Stops {
  public:
    // The block as it stands, and the lane in focus, which is asked first.
    struct Here {
        const simt::SteppedBlock& block;
        KernelText& text;
        Focus focus;
        [[nodiscard]] LaneView view(Focus of) const { return {block, text, of}; }
    };
    struct Hit {
        int number = 0;
        Focus focus;  // the first lane for which the condition holds
    };
    struct Change {
        int number = 0;  // of the watch
        int lane = 0;    // that changed it
        std::string before, after;
    };
    using Watched = std::vector<std::vector<std::byte>>;  // by watch; empty where it has no value

    // Throw DebugError: no code at the line, no expression, nothing that can be watched.
    const Breakpoint& add(SourceLine line, const std::string& condition, bool temporary, KernelText& text);
    const Watch& add(const std::string& expression, const Here& here);
    // False if there is none of that number.
    bool remove(int number);
    void clear();
    [[nodiscard]] const std::vector<Breakpoint>& breakpoints() const { return breakpoints_; }
    [[nodiscard]] const std::vector<Watch>& watches() const { return watches_; }

    // Of the warp that is about to take a step.
    [[nodiscard]] std::optional<Hit> hit(int warp, const Here& here) const;
    // It has stopped there: counts, and a temporary one goes.
    void count_hit(int number);
    // What is watched, before the warp takes a step, and what that step has changed.
    [[nodiscard]] Watched watched(int warp, const Here& here) const;
    [[nodiscard]] std::optional<Change> change(const Watched& before, int warp, const Here& here) const;

  private:
    std::vector<Breakpoint> breakpoints_;
    std::vector<Watch> watches_;
    int last_number_ = 0;
};

}  // namespace ws::debug
