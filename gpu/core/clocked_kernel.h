#pragma once
// A kernel's warps as the clock of one multiprocessor runs them, beside the same with fewer blocks.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/message.h"
#include "gpu/core/result_key.h"
#include "gpu/core/warp_timeline.h"

namespace ws {

struct ClockKey {
    CountKey counts;
    double bytes_between = 0;  // that other steps touch between two launches of this one
    int blocks = 0;            // resident; 0: as many as a multiprocessor holds
    friend bool operator==(const ClockKey&, const ClockKey&) = default;
};

struct ClockedKernel {
    ClockKey key;
    int blocks = 0;       // resident
    int most_blocks = 0;  // that a multiprocessor holds, or gets of the launch where these are fewer
    int warps_per_block = 0;
    int schedulers = 4;
    WarpTimeline timeline;  // of the first scheduler
    // By instruction of the machine code.
    std::vector<std::string_view> names;  // "LDG"
    std::vector<int> lines;               // of the source; 0: not known
    // Clocks that warps of all schedulers spent at each line of the source, by state; by line.
    std::vector<StateClocks> at_line;

    // Warps that the first scheduler has at a time.
    [[nodiscard]] int warps() const { return (blocks * warps_per_block + schedulers - 1) / schedulers; }
};

// What is shown. While it is being run anew, the last ones are `stale`.
struct ChosenClock {
    std::shared_ptr<const ClockedKernel> few, many;  // null: not there yet
    bool stale = false;
    Message problem;        // why there is none, and will be none
    bool baseline = false;  // few is the baseline's kernel, with as many blocks as fit
};

}  // namespace ws
