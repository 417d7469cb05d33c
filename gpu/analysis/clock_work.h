#pragma once
// What the parts of a GPU have worked for the clock's multiprocessor.

#include <array>
#include <cstddef>

#include "gpu/analysis/clock_units.h"
#include "gpu/core/estimate.h"

namespace ws {

struct ClockWork {
    std::array<double, kParts> busy{};  // clocks
    MovedSectors moved;                 // between the second level and device memory

    void add(const ClockWork& other, double times) {
        for (std::size_t part = 0; part < kParts; ++part) busy[part] += times * other.busy[part];
        moved.from_memory += times * other.moved.from_memory;
        moved.to_memory += times * other.moved.to_memory;
    }
};

}  // namespace ws
