#pragma once
// In how many places a launch stores at a time. Device memory has few rows open; where what is written goes
// to many, it opens a row for less of it each time.

#include "gpu/core/warp_trace.h"

namespace ws {

struct StoredPlaces {
    // What a warp stores lies in so many places at least 1 MiB apart, on average.
    double of_a_warp = 1;
    // So many times 2 MiB are stored to by the blocks that run at the same time; five where its rates were
    // measured.
    double at_once = 5;
};
// Of blocks of one multiprocessor, and of some among those that all of them run at a time, in any order
// (none: the first ones stand for these). Lines that lie anywhere are no places (see scattered_over): those
// have a rate of their own.
[[nodiscard]] StoredPlaces stored_places(const KernelTrace& of_one, const KernelTrace& of_all);

// How many times as long device memory takes as where its rates were measured: for a line that is written,
// and to turn round from reading to writing and back.
struct PlacesCost {
    double write = 1, turn = 1;
};
[[nodiscard]] PlacesCost cost_of_places(const StoredPlaces& places);

}  // namespace ws
