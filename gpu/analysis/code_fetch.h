#pragma once
// Where warps get their instructions from: a few lines that each scheduler keeps (L0), the instruction cache
// of the multiprocessor (L1), one that the multiprocessors of a GPC share (L1.5), then the second level. Code
// is fetched by lines of 128 bytes; when a line is used for the first time, those that follow it come, too.
// L1.5 has blocks of four lines, which come by two. Who goes on to another line waits for its scheduler's
// turn to fetch. Measured on an H200 by bench/code_fetch (docs/clock.md). Times are in clocks.

#include <vector>

#include "gpu/analysis/calendar.h"
#include "gpu/analysis/clock_rates.h"
#include "gpu/analysis/fetch_steps.h"
#include "gpu/analysis/line_cache.h"
#include "gpu/analysis/memory_path.h"
#include "gpu/core/machine_code.h"

namespace ws {

struct ClockLoad;

class CodeFetch {
  public:
    // The load's code; the last one's level 2 is where it comes from. All outlive it. L1.5 has what there is
    // room for when the launch begins, the others nothing.
    CodeFetch(const ClockLoad& load, const CodeRates& rates, MemoryPath& memory);

    [[nodiscard]] static int line_of(const MachineInstruction& instruction) {
        return instruction.address / kLineBytes;
    }
    struct Asked {
        double now = 0;        // when its warp is sent there,
        double from = 0;       // and can be there at the earliest
        bool follows = false;  // the line that it comes from lies before it: it is known where it goes
    };
    // When a warp of the scheduler has the line.
    double fetch(int scheduler, int line, Asked when);

  private:
    static constexpr int kLineBytes = 128;
    struct Scheduler {
        LineCache l0;
        Calendar turns;  // when it fetches for a warp
    };
    // To L1, unless it is there or on its way; returns when it is.
    double bring_to_l1(int line, double now);
    // To L1.5; returns when it has it.
    double bring_to_l15(int line, double now);
    // What is only on its way to L1 goes on to L0 when it comes.
    void bring_to_l0(LineCache& l0, int line, double from, double there);
    // Of L1.5, for a line: which goes to each multiprocessor that fetches as well.
    double l15_clocks(int line, double now);
    // Of a unit that all share; those who only look for latencies have it for themselves.
    double take(Calendar& unit, double from, double clocks) const {
        return alone_ ? from : unit.take(from, clocks);
    }

    CodeRates rates_;
    MemoryPath& memory_;
    int lines_;
    bool alone_;
    double sharers_;  // multiprocessors that fetch from this L1.5
    FetchSteps steps_;
    std::vector<Scheduler> schedulers_;
    LineCache l1_, l15_;
    Calendar l1_port_, l15_port_;
};

}  // namespace ws
