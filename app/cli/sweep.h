#pragma once
// A lab's versions over an axis: sizes, block shapes or the values of a knob.

#include <string>
#include <vector>

#include "app/cli/options.h"

namespace ws {

struct Sweep {
    std::string axis;  // "size", "block", or a knob's name
    Work work;         // to begin with
    std::vector<int> versions;
    std::vector<std::string>
        places;  // the axis' values as text; of block and knobs each version takes what it can
};

struct SweepPoint {
    int version = 0;
    std::string at;
    std::string gpu;
    std::string kind;  // "measured", "estimated"
    double ms = 0;     // 0: there is none
    double spread = 0;
    double gb_s = 0;       // of a lab that is about it
    double occupancy = 0;  // theoretical, per cent
    std::string check;     // of the result; an estimate's kernels are checked on a sample of blocks
    std::string problem;   // why there is no time
    bool wrong = false;    // the result is
};

// Throws UsageError for an axis that the lab does not have.
[[nodiscard]] Sweep plan_sweep(const Options& options);
[[nodiscard]] std::vector<SweepPoint> run_sweep(const Options& options, const Sweep& sweep);

}  // namespace ws
