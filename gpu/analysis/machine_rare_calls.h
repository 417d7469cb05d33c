#pragma once
// Calls of the assembler's functions for operands that a short sequence cannot compute. The way through the
// machine code (machine_alignment.h) takes the short sequence; here it gets the calls that the operands of
// the simulated GPU ask for.

#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "gpu/analysis/machine_alignment.h"

namespace ws {

// Of an execution in a thread's sequence of PTX blocks.
struct RareExecution {
    int place = 0;
    int ptx_line = 0;
    RareWay way = 0;
};

class MachineRareCalls {
  public:
    // All live as long as this.
    MachineRareCalls(const MachineCode& code, const MachineFlow& flow, const MachineShares& shares);

    // The way of a thread, with the calls. `ptx_blocks`: its sequence; `rare`: in the order of it, and of
    // lines. Several threads may ask at once.
    [[nodiscard]] std::vector<MachineVisit> with_calls(const std::vector<MachineVisit>& way,
                                                       std::span<const int> ptx_blocks,
                                                       std::span<const RareExecution> rare);

  private:
    // Behind a branch that checks the operands of a line of the PTX: blocks until both ways meet.
    struct Check {
        int ptx_line = 0;
        std::vector<int> call;  // of the way that calls; one of them does
        int meeting = 0;
    };
    // Of a way: the last execution of each line that a check on it was of.
    using Checked = std::map<int, int>;

    [[nodiscard]] Check check_behind(int block) const;
    [[nodiscard]] RareWay way_at(const MachineVisit& visit, int ptx_line, std::span<const int> ptx_blocks,
                                 std::span<const RareExecution> rare, Checked& checked) const;
    [[nodiscard]] const std::vector<int>& through_function(int call, RareWay way);
    [[nodiscard]] std::vector<int> find_through_function(int call, RareWay way) const;

    const MachineCode& code_;
    const MachineFlow& flow_;
    const MachineShares& shares_;
    std::vector<Check> checks_;  // by block; without a line: none
    std::mutex mutex_;           // of `functions_`, which only grows
    std::map<std::pair<int, RareWay>, std::vector<int>> functions_;
};

}  // namespace ws
