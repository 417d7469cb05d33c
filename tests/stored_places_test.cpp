// In how many places a launch stores at a time, and what device memory takes for that.

#include "gpu/analysis/stored_places.h"

#include <gtest/gtest.h>

#include "gpu/analysis/clock_rates.h"
#include "gpu/analysis/memory_path.h"
#include "gpu/analysis/warp_clock.h"

namespace ws {
namespace {

constexpr std::uint64_t kLinesOfMiB = (std::uint64_t(1) << 20) / kLineBytes;
constexpr std::uint32_t kWholeLine = 0b1111;

// Whole lines, by an access each.
WarpTrace storing(const std::vector<std::uint64_t>& lines, MachineKind kind = MachineKind::store,
                  MemorySpace space = MemorySpace::global) {
    WarpTrace made;
    for (const std::uint64_t line : lines) {
        TracedAccess access;
        access.kind = kind;
        access.space = space;
        access.lanes = 32;
        access.lines = 1;
        access.sectors = access.past_l1 = kLineSectors;
        access.asked_lines = 1;
        access.first_asked = int(made.asked.size());
        made.accesses.push_back(access);
        made.asked.push_back({line, kWholeLine});
    }
    return made;
}
// A line of each of so many MiB.
std::vector<std::uint64_t> lines_apart(int count) {
    std::vector<std::uint64_t> lines;
    for (int i = 0; i < count; ++i) lines.push_back(std::uint64_t(i) * kLinesOfMiB);
    return lines;
}
double places_of(std::vector<WarpTrace> warps) {
    KernelTrace trace;
    trace.warps = std::move(warps);
    return places_of_a_warp(trace);
}
// Of blocks of one warp each.
double at_once(std::vector<WarpTrace> blocks) {
    KernelTrace trace;
    trace.warps = std::move(blocks);
    std::uint64_t number = 0;
    for (WarpTrace& warp : trace.warps) warp.thread_block = number += 7;
    return places_at_once(trace, trace.warps.size());
}
double at_once_of_lines(const std::vector<std::vector<std::uint64_t>>& blocks) {
    std::vector<WarpTrace> warps;
    for (const std::vector<std::uint64_t>& lines : blocks) warps.push_back(storing(lines));
    return at_once(std::move(warps));
}
TEST(StoredPlaces, AreAMiBApart) {
    EXPECT_EQ(places_of({}), 1);
    EXPECT_EQ(places_of({storing({5, 6, 7, 1000})}), 1);
    EXPECT_EQ(places_of({storing({0, kLinesOfMiB - 1})}), 1);
    EXPECT_EQ(places_of({storing({0, kLinesOfMiB})}), 2);
    EXPECT_EQ(places_of({storing({3 * kLinesOfMiB, 0, 3 * kLinesOfMiB + 1, 1})}), 2) << "in any order";
    EXPECT_EQ(places_of({storing(lines_apart(64))}), 64);
}

TEST(StoredPlaces, AreThoseOfAWarpThatStoresToGlobalMemory) {
    EXPECT_EQ(places_of({storing(lines_apart(3)), storing(lines_apart(5))}), 4);
    EXPECT_EQ(places_of({storing(lines_apart(3)), storing(lines_apart(8), MachineKind::load)}), 3);
    EXPECT_EQ(places_of({storing(lines_apart(8), MachineKind::store, MemorySpace::local)}), 1);
    // One request of lines anywhere, which have a rate of their own.
    WarpTrace scattered = storing({1, 700, 90'000, 91'000, 200'000, 250'000});
    scattered.accesses.resize(1);
    scattered.accesses.front().asked_lines = 6;
    EXPECT_EQ(places_of({scattered}), 1);
}

TEST(StoredPlaces, AtOnceAreThoseBetweenTheBlocks) {
    EXPECT_EQ(at_once_of_lines({}), 0) << "nothing is stored";
    EXPECT_EQ(at_once_of_lines({{}, {}}), 0);
    EXPECT_EQ(at_once_of_lines({{0, 1}, {5, 6}}), 1);
    EXPECT_EQ(at_once_of_lines({{0}, {2 * kLinesOfMiB}}), 2);
    // What was not traced lies between what was.
    EXPECT_EQ(at_once_of_lines({{0}, {63 * kLinesOfMiB}, {17 * kLinesOfMiB}}), 32);
    // Rows of a tile, 16 KiB apart, are one place.
    std::vector<std::uint64_t> rows;
    for (std::uint64_t row = 0; row < 32; ++row) rows.push_back(row * 128);
    EXPECT_EQ(at_once_of_lines({rows}), 1);
    EXPECT_EQ(at_once_of_lines({lines_apart(64)}), 32);
    // Arrays are not filled up between each other, but between the blocks.
    EXPECT_EQ(at_once_of_lines({{0, 100 * kLinesOfMiB}, {10, 100 * kLinesOfMiB + 10}}), 2);
    EXPECT_EQ(at_once_of_lines({{0, 100 * kLinesOfMiB}, {4 * kLinesOfMiB, 104 * kLinesOfMiB}}), 6);
    // A block at an edge that has one array only does not count.
    EXPECT_EQ(at_once_of_lines({{0, 100 * kLinesOfMiB}, {50 * kLinesOfMiB}, {1, 100 * kLinesOfMiB}}), 2);
    // Warps of a block are one.
    KernelTrace block;
    block.warps = {storing({0}), storing({20 * kLinesOfMiB})};
    EXPECT_EQ(places_at_once(block, 1), 2);
    // The first ones of a trace.
    block.warps.push_back(storing({0, 40 * kLinesOfMiB}));
    block.warps.back().thread_block = 1;
    EXPECT_EQ(places_at_once(block, 1), 2);
    EXPECT_EQ(places_at_once(block, 2), 12);
}

TEST(StoredPlaces, CostMoreTheMoreTheyAre) {
    EXPECT_EQ(cost_of_places({}).write, 1) << "where the rates were measured";
    EXPECT_EQ(cost_of_places({}).turn, 1);
    PlacesCost last{0.96, 1};
    for (double places = 1; places <= 300; places *= 1.3) {
        const PlacesCost cost = cost_of_places({places, places});
        EXPECT_GE(cost.write, last.write) << places;
        EXPECT_LE(cost.write, last.write + 0.03) << places << ": without a step";
        EXPECT_GE(cost.turn, last.turn) << places;
        last = cost;
    }
    EXPECT_EQ(cost_of_places({1, 1000}).write, cost_of_places({1, 256}).write) << "no more than was measured";
    EXPECT_GT(cost_of_places({1, 64}).write, 1.15);
    EXPECT_GT(cost_of_places({64, 5}).turn, 1.3);
    EXPECT_EQ(cost_of_places({64, 5}).write, 1);
}

// Clocks of device memory for whole lines that one warp stores.
double clocks_to_store(double at_once, MemorySpace space) {
    const MachineCode code;
    ClockLoad load;
    load.code = &code;
    load.stored.at_once = at_once;
    load.spill_stores_past_l2 = 1;
    ClockRates rates;
    rates.memory.write_sector = 4;
    MemoryPath memory(load, rates);
    const std::vector<std::uint64_t> lines{1, 2, 3, 4, 5, 6, 7, 8};
    const WarpTrace warp = storing(lines, MachineKind::store, space);
    for (const TracedAccess& access : warp.accesses) (void)memory.request(warp, access, {}, 0);
    std::array<double, kParts> busy{};
    memory.add_busy(busy);
    return busy[std::size_t(Part::memory)];
}

TEST(StoredPlaces, HoldDeviceMemoryButForAThreadsOwnWords) {
    const double one = clocks_to_store(5, MemorySpace::global);
    EXPECT_EQ(one, 8 * 4 * 4.0);
    EXPECT_NEAR(clocks_to_store(64, MemorySpace::global), one * 1.19, 1e-9);
    EXPECT_NEAR(clocks_to_store(2, MemorySpace::global), one * 0.97, 1e-9);
    EXPECT_EQ(clocks_to_store(64, MemorySpace::local), clocks_to_store(5, MemorySpace::local));
}

}  // namespace
}  // namespace ws
