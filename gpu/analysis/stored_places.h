#pragma once
// In how many places a launch stores at a time. Device memory has few rows open; where what is written goes
// to many, it opens a row for less of it each time.

#include "gpu/core/warp_trace.h"

namespace ws {

// Of a warp, on average: what it stores lies in so many places, at least 1 MiB apart. Lines that lie anywhere
// are none (see scattered_over): those have a rate of their own. At least 1.
[[nodiscard]] double stored_places(const KernelTrace& trace);

// How many times as long device memory takes as for one place: for a line that is written, and to turn round
// from reading to writing and back.
struct PlacesCost {
    double write = 1, turn = 1;
};
[[nodiscard]] PlacesCost cost_of_places(double places);

}  // namespace ws
