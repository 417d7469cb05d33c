#pragma once
// Warps that go round their loops for long. What a launch does then is measured in windows, clock by clock;
// between these the warps go ahead in their loops at the pace of the last one, as sampled simulation does
// (Wunderlich, Wenisch, Falsafi, Hoe: SMARTS, ISCA 2003).
//
// Nothing is passed over that is not like the window: two windows, or a window and as long a stretch before
// it, take equally long; each warp goes on at the instruction at which it was, and none to its end; what they
// pass over asks pipes and memory for as much as the window did. Times are in clocks.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpu/analysis/warp_clock.h"

namespace ws {

// A warp that has not ended, before its next step.
struct GoingWarp {
    const ClockWarp* warp = nullptr;
    int block = 0;
    std::size_t at = 0;
};

// What the warps pass over.
struct Ahead {
    double clocks = 0;
    double windows = 0;                        // as many times the last window
    std::int64_t issued = 0;                   // instructions
    std::vector<std::int64_t> by_instruction;  // these by the machine code's
    std::vector<std::size_t> at;               // of each warp: its next step
};

class LongLoops {
  public:
    // The load outlives it. Nothing is passed over where there is little to run, or before the clock `from`.
    LongLoops(const ClockLoad& load, double from);

    // Whether it wants to look, so many instructions having been issued.
    [[nodiscard]] bool asks(std::int64_t issued) const { return issued >= next_; }
    struct Answer {
        bool window_begins = false;  // now: what is counted from here on is the window's
        std::optional<Ahead> ahead;
    };
    // `warps`: in any order that stays the same.
    [[nodiscard]] Answer look(double now, std::int64_t issued, std::span<const GoingWarp> warps);

  private:
    // What is asked of pipes and memory.
    struct Asked {
        std::vector<std::int64_t> by_instruction;
        double accesses = 0, wavefronts = 0, sectors = 0;
    };
    struct Window {
        double from = 0;
        std::int64_t issued = 0;  // until then
        std::vector<GoingWarp> warps;
    };

    struct Point {
        double clock = 0;
        std::int64_t issued = 0;
    };
    struct Landing {
        std::size_t at = 0;
        int barriers = -1;  // on the way there; -1: it finds no place
    };

    [[nodiscard]] std::optional<double> rate_before_window(std::int64_t length) const;
    [[nodiscard]] static std::int64_t length_for(std::span<const GoingWarp> warps);
    [[nodiscard]] std::vector<GoingWarp> starts_of(std::span<const GoingWarp> warps) const;
    [[nodiscard]] std::optional<Ahead> ahead(double rate, std::int64_t issued,
                                             std::span<const GoingWarp> warps) const;
    [[nodiscard]] static std::vector<double> paces_of(std::span<const GoingWarp> starts,
                                                      std::span<const GoingWarp> warps);
    [[nodiscard]] static double windows_ahead(double most, std::span<const double> paces,
                                              std::span<const GoingWarp> warps);
    [[nodiscard]] bool land(std::span<const double> paces, std::span<const GoingWarp> warps, double windows,
                            std::vector<std::size_t>& at) const;
    [[nodiscard]] Landing landing_near(const GoingWarp& warp, double wanted, int barriers) const;
    void add_asked(const GoingWarp& warp, std::size_t end, Asked& asked) const;
    [[nodiscard]] bool are_alike(const Asked& window, const Asked& ahead, double windows) const;

    const MachineCode& code_;
    double from_;
    std::int64_t next_;
    std::vector<Point> before_;  // since warps went ahead
    std::optional<Window> window_;
    std::optional<double> rate_;  // clocks of an instruction, in the last one
    std::int64_t longer_ = 1;     // windows, where short ones took unequally long
};

}  // namespace ws
