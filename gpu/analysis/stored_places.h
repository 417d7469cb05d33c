#pragma once
// In how many places a launch stores at a time. Device memory has few rows open; where what is written goes
// to many, it opens a row for less of it each time. Lines that lie anywhere are no places (see
// scattered_over): those have a rate of their own. All that a block stores counts: blocks that go round a
// loop drift apart, so that at a time they are at all of its places. An H200 writes 13.95 bytes a clock and
// multiprocessor that way, 17.84 where one block comes after the other (docs/clock.md).

#include "gpu/core/warp_trace.h"

namespace ws {

struct StoredPlaces {
    // At least 1 MiB apart, of a warp on average.
    double of_a_warp = 1;
    // So many times 2 MiB, of all blocks that run at the same time. Those by which the rates of device memory
    // are measured (memory_write, memory_copy), 132 times eight on an H200, store to five.
    double at_once = 5;
};
// At least 1.
[[nodiscard]] double places_of_a_warp(const KernelTrace& trace);
// The first `most` blocks of the trace are some of those that run at the same time, in any order. What lies
// between the n-th place of one and that of another belongs to blocks that were not traced; those with fewer
// or more places than most are left out. 0 where nothing is stored.
[[nodiscard]] double places_at_once(const KernelTrace& trace, std::size_t most);

// How many times as long device memory takes as where its rates were measured: for a line that is written,
// and to turn round from reading to writing and back.
struct PlacesCost {
    double write = 1, turn = 1;
};
[[nodiscard]] PlacesCost cost_of_places(const StoredPlaces& places);

}  // namespace ws
