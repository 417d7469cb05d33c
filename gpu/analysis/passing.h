#pragma once
// What of a request goes on to a level behind the first one.

#include "gpu/core/machine_code.h"

namespace ws {

struct Passing {
    MachineKind kind = MachineKind::load;
    int lanes = 0;
    double sectors = 0, lines = 0;
    double parts = 0, lines_of_parts = 0;  // of a store: sectors that are not whole
    double scattered = 0;                  // bytes over which they lie anywhere; 0: they do not
    bool local = false;                    // words of a thread
    bool apart = false;                    // the warp comes back for what is beside
    double row = 1;            // how long its lines hold device memory, compared with such that lie anywhere
    bool beside = false;       // whole lines, or nearly
    double places = 0;         // that a load takes in L1 for them
    double first_asked = 0;    // of the lines: what had to be brought there
    bool asked_share = false;  // the multiprocessor's share was asked for it
    double there = 0;          // when the rest is there
    // It travels with its data.
    [[nodiscard]] bool stores() const { return kind == MachineKind::store || kind == MachineKind::atomic; }
};

}  // namespace ws
