#pragma once
// The warps and blocks that are resident on the clock's multiprocessor. Times are in clocks.

#include <algorithm>
#include <cstddef>

#include "gpu/analysis/issue_facts.h"
#include "gpu/analysis/latest.h"
#include "gpu/analysis/scoreboards.h"
#include "gpu/analysis/warp_clock.h"

namespace ws {

// A warp on its way, and what holds its next instruction.
struct RunningWarp {
    const ClockWarp* warp = nullptr;
    const MachineStep* step = nullptr;                // the next
    const MachineInstruction* instruction = nullptr;  // of it
    const IssueFacts* facts = nullptr;                // likewise
    int block = 0;
    int place = 0;        // among the warps that may be resident
    int row = -1;         // on its scheduler
    std::size_t at = 0;   // the next step
    std::size_t end = 0;  // behind its last one
    double counted = 0;   // what its clocks went into is known until then
    double next = 0;      // from its stall count
    double loaded = 0;    // when the last of what its loads lacked in L1 is there
    double copied = 0;    // when its asynchronous copies are done
    double stored = 0;    // when the second level has all that it stored
    double fetched = 0;   // when it has its next instruction
    ScoreboardWait wait;  // of the next instruction: only the warp's own instructions change it
    // The barrier that it came to last: its machine instruction, whether it has not let the warp go, else
    // when it did; and whether it holds the next instruction until then.
    int barrier = 0;
    bool at_barrier = false;
    double passed_barrier = 0;
    bool stops_at_barrier = true;
    bool ended = true;
    Scoreboards boards;

    // When the next instruction could be issued if its pipe took it.
    [[nodiscard]] double ready() const {
        const double behind_barrier = passed_barrier > 0 && stops_at_barrier ? passed_barrier : 0;
        return latest(next, fetched, wait.dependency, wait.memory, behind_barrier);
    }
    // When it has what a load lacked in L1 and would be there then. That comes in the order in which the
    // warp's loads asked for it; what L1 has passes it. By Nsight Compute's samples of an H200 a warp that
    // waits for the second of two loads waits no more for the first (`fourier_step`: 0.2 % of its time; 13 if
    // each comes when it does).
    double in_order(double done) { return loaded = std::max(loaded, done); }
};

struct ResidentBlock {
    int warps = 0;
    int place = 0;
    int ended = 0;
    int waiting = 0;  // at the barrier
    double last_arrival = 0;
    double begun = 0;    // when its first warp did
    double drained = 0;  // when the second level has what its ended warps stored
};

// Of a block that has ended: another one's, some clocks later.
struct BlockPlace {
    int index = 0;
    double free = 0;
};

}  // namespace ws
