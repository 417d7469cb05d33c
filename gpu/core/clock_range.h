#pragma once
// The clock of the multiprocessors while samples were taken.

#include <algorithm>

namespace ws {

// In MHz; 0 where it cannot be read.
struct ClockRange {
    int low = 0, high = 0;
    void add(int mhz) {
        low = low == 0 ? mhz : std::min(low, mhz);
        high = std::max(high, mhz);
    }
    friend bool operator==(const ClockRange&, const ClockRange&) = default;
};

}  // namespace ws
