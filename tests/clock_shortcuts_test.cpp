// What makes the clock quick against the plain way of doing the same.

#include "gpu/analysis/ready_warps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "gpu/analysis/alike_warps.h"
#include "gpu/analysis/clock_units.h"
#include "gpu/analysis/machine_flow.h"
#include "gpu/core/cache_level.h"

namespace ws {
namespace {

int below(Dice& dice, int end) {
    return int(dice.next() * end);
}

// The same by looking at every warp, each time.
struct AllWarps {
    std::vector<ReadyWarps::Place> order;
    std::array<double, 16> ready{};
    std::array<double, 16> issued{};
    std::array<IssueGate, 16> gates{};
    std::array<bool, 16> yielded{}, in_run{};
    int last = -1;

    template <typename F>
    ReadyWarps::Choice choose(double now, F&& opens) {
        const auto at = [&](int row) {
            const double when = ready[std::size_t(row)];
            return when > now ? when : std::max(when, opens(gates[std::size_t(row)]));
        };
        ReadyWarps::Choice made;
        if (last >= 0 && at(last) <= now) {
            made.row = last;
        } else {
            for (const ReadyWarps::Place& one : order) made.soonest = std::min(made.soonest, at(one.row));
            made.row = of_block(block_of_the_next(now, at), now, at);
        }
        if (made.row >= 0) {
            const bool yields = gates[std::size_t(made.row)].yields;
            if (!yields || last == made.row) last = yields ? -1 : made.row;
            yielded[std::size_t(made.row)] = yields;
            issued[std::size_t(made.row)] = made.soonest = now;
        } else if (last >= 0 && waits_in_queue(last, now)) {
            last = -1;
        }
        return made;
    }
    // Another block's warp in its place.
    void replace(ReadyWarps::Place& place, int block) {
        place.block = block;
        issued[std::size_t(place.row)] = -1;
        yielded[std::size_t(place.row)] = true;
        if (last == place.row) last = -1;
    }

  private:
    [[nodiscard]] bool waits_in_queue(int row, double now) const {
        return ready[std::size_t(row)] <= now && gates[std::size_t(row)].queue != SharedQueue::none;
    }
    // The oldest that has a warp in a run and that can, else the oldest that has any.
    template <typename F>
    int block_of_the_next(double now, F&& at) {
        int found = -1;
        for (const ReadyWarps::Place& one : order) {
            const bool can = at(one.row) <= now;
            if (!can && waits_in_queue(one.row, now)) in_run[std::size_t(one.row)] = false;
            if (can && in_run[std::size_t(one.row)]) return one.block;
            if (can && found < 0) found = one.block;
        }
        return found;
    }
    // Of the block the first that can behind the one that issued last.
    template <typename F>
    int of_block(int block, double now, F&& at) const {
        std::vector<ReadyWarps::Place> turn;
        for (const ReadyWarps::Place& one : order)
            if (one.block == block) turn.push_back(one);
        if (turn.empty()) return -1;
        const auto last_issued = std::ranges::max_element(
            turn, {}, [&](const ReadyWarps::Place& one) { return issued[std::size_t(one.row)]; });
        if (issued[std::size_t(last_issued->row)] >= 0)
            std::rotate(turn.begin(), last_issued + 1, turn.end());
        return std::ranges::find_if(turn, [&](const ReadyWarps::Place& one) { return at(one.row) <= now; })
            ->row;
    }
};

TEST(ReadyWarps, TheChoiceIsThatOfLookingAtEveryWarp) {
    Dice dice;
    ReadyWarps warps;
    AllWarps all;
    for (int row = 0; row < 16; ++row) warps.add_row(), all.order.push_back({row, row / 4});
    all.ready.fill(ReadyWarps::kNever);
    all.issued.fill(-1);
    all.yielded.fill(true);
    warps.set_order(all.order);
    std::array<double, kMachinePipes> pipes{};
    const auto opens = [&](IssueGate gate) { return pipes[std::size_t(gate.pipe)]; };
    int issued = 0;
    int idle = 0;
    int blocks = 4;
    for (double now = 0; now < 5000; ++now) {
        const int row = below(dice, 16);
        if (all.ready[std::size_t(row)] == ReadyWarps::kNever) {
            all.ready[std::size_t(row)] = now + below(dice, 40);
            all.gates[std::size_t(row)].pipe = MachinePipe(below(dice, 3));
            all.gates[std::size_t(row)].queue = below(dice, 3) == 0 ? SharedQueue::lsu : SharedQueue::none;
            all.gates[std::size_t(row)].yields = below(dice, 2) == 0;
            const bool only_stalled = below(dice, 3) > 0;
            all.in_run[std::size_t(row)] = only_stalled && !all.yielded[std::size_t(row)];
            warps.set(row, all.gates[std::size_t(row)], all.ready[std::size_t(row)], only_stalled);
        }
        if (below(dice, 100) == 0) {
            // Another block in the place of the oldest one.
            std::rotate(all.order.begin(), all.order.begin() + 4, all.order.end());
            for (auto one = all.order.end() - 4; one != all.order.end(); ++one) all.replace(*one, blocks);
            ++blocks;
            warps.set_order(all.order);
        }
        const ReadyWarps::Choice wanted = all.choose(now, opens);
        const ReadyWarps::Choice made = warps.choose(now, opens);
        ASSERT_EQ(made.row, wanted.row) << "at " << now;
        ASSERT_EQ(made.soonest, wanted.soonest) << "at " << now;
        if (made.row < 0) {
            ++idle;
            continue;
        }
        ++issued;
        pipes[std::size_t(all.gates[std::size_t(made.row)].pipe)] = now + 1 + below(dice, 6);
        all.ready[std::size_t(made.row)] = ReadyWarps::kNever;
        warps.hold(made.row);
    }
    EXPECT_GT(issued, 1000);
    EXPECT_GT(idle, 1000);
}

// Row 0 is the older block's.
ReadyWarps one_of_each_of_two_blocks() {
    const std::vector<ReadyWarps::Place> order{{0, 7}, {1, 8}};
    ReadyWarps made;
    for (std::size_t row = 0; row < order.size(); ++row) made.add_row();
    made.set_order(order);
    return made;
}

TEST(ReadyWarps, OldBlocksGoFirstButNotBetweenWhatRunsOn) {
    ReadyWarps warps = one_of_each_of_two_blocks();
    const auto open = [](IssueGate) { return 0.0; };
    const IssueGate runs{MachinePipe::alu, SharedQueue::none, false};
    const IssueGate yields{MachinePipe::alu, SharedQueue::none, true};
    warps.set(0, yields, 0, false);
    warps.set(1, runs, 0, false);
    EXPECT_EQ(warps.choose(0, open).row, 0) << "the older one";
    warps.set(0, yields, 1, true);
    EXPECT_EQ(warps.choose(1, open).row, 0) << "also where it yields, for the other is in no run";
    warps.set(0, yields, 4, true);
    EXPECT_EQ(warps.choose(2, open).row, 1);
    // It comes back after two clocks: meanwhile the older one is ready, too.
    warps.set(1, runs, 4, true);
    EXPECT_EQ(warps.choose(3, open).row, -1);
    EXPECT_EQ(warps.choose(4, open).row, 1) << "in a run";
    warps.set(1, runs, 5, false);
    EXPECT_EQ(warps.choose(5, open).row, 1) << "the one that issued last";
    warps.set(1, yields, 6, true);
    EXPECT_EQ(warps.choose(6, open).row, 1);
    warps.set(1, runs, 7, true);
    EXPECT_EQ(warps.choose(7, open).row, 0) << "the younger one has yielded";
}

TEST(ReadyWarps, AFullQueueEndsARun) {
    ReadyWarps warps = one_of_each_of_two_blocks();
    double room = 0;
    const auto opens = [&](IssueGate gate) { return gate.queue == SharedQueue::none ? 0.0 : room; };
    const IssueGate arithmetic{MachinePipe::alu, SharedQueue::none, false};
    const IssueGate request{MachinePipe::lsu, SharedQueue::lsu, false};
    warps.set(1, arithmetic, 0, false);
    EXPECT_EQ(warps.choose(0, opens).row, 1);
    warps.set(1, request, 1, true);
    room = 5;
    EXPECT_EQ(warps.choose(1, opens).row, -1);
    warps.set(0, request, 2, false);
    EXPECT_EQ(warps.choose(5, opens).row, 0) << "the older one, once there is room";
}

constexpr double kRound = 16384;  // of the multiprocessor's clock

TEST(ReadyWarps, WhoHasIssuedNothingForARoundOfTheClockGoesFirstOnce) {
    ReadyWarps warps = one_of_each_of_two_blocks();
    const auto open = [](IssueGate) { return 0.0; };
    const IssueGate runs{MachinePipe::alu, SharedQueue::none, false};
    warps.set(1, runs, 0, false);
    std::vector<double> young;  // when it issues
    for (double now = 0; now < 4 * kRound; ++now) {
        warps.set(0, runs, now, true);
        const int row = warps.choose(now, open).row;
        ASSERT_GE(row, 0);
        if (row == 0) continue;
        young.push_back(now);
        warps.set(1, runs, now + 10, false);
    }
    // The first round ends in its middle, and then the warp waits a whole one. What it issued then was in the
    // next round, so that it waits for that one's end and another whole one.
    ASSERT_EQ(young.size(), 2u);
    EXPECT_EQ(young[0], 1.5 * kRound);
    EXPECT_EQ(young[1], 3.5 * kRound);
}

TEST(ReadyWarps, StarvedWarpsGoOldestBlockFirstAndLeaveNothingToTheirPlace) {
    ReadyWarps warps;
    std::vector<ReadyWarps::Place> order;
    for (int row = 0; row < 4; ++row) warps.add_row(), order.push_back({row, row});
    warps.set_order(order);
    const auto open = [](IssueGate) { return 0.0; };
    const IssueGate runs{MachinePipe::alu, SharedQueue::none, false};
    for (int row = 1; row < 4; ++row) warps.set(row, runs, 0, false);
    for (double now = 0; now < 1.5 * kRound; ++now) {
        warps.set(0, runs, now, true);
        ASSERT_EQ(warps.choose(now, open).row, 0) << "at " << now;
    }
    // The warp in row 2 ends, and a younger block's comes to its place.
    warps.set(0, runs, 1.5 * kRound, true);
    EXPECT_EQ(warps.choose(1.5 * kRound, open).row, 1);
    warps.hold(1);
    warps.hold(2);
    order = {{0, 0}, {1, 1}, {3, 3}, {2, 4}};
    warps.set_order(order);
    warps.set(2, runs, 1.5 * kRound, false);
    warps.set(0, runs, 1.5 * kRound, true);
    EXPECT_EQ(warps.choose(1.5 * kRound + 1, open).row, 3) << "the other one that starved";
    warps.hold(3);
    EXPECT_EQ(warps.choose(1.5 * kRound + 2, open).row, 0) << "the new one has not starved";
}

TEST(ReadyWarps, AStarvedWarpWaitsForItsQueueAllTheSame) {
    ReadyWarps warps = one_of_each_of_two_blocks();
    double room = 2 * kRound;
    const auto opens = [&](IssueGate gate) { return gate.queue == SharedQueue::none ? 0.0 : room; };
    const IssueGate arithmetic{MachinePipe::alu, SharedQueue::none, false};
    warps.set(1, {MachinePipe::lsu, SharedQueue::lsu, false}, 0, false);
    for (double now = 0; now < 2 * kRound; ++now) {
        warps.set(0, arithmetic, now, true);
        ASSERT_EQ(warps.choose(now, opens).row, 0) << "at " << now;
    }
    warps.set(0, arithmetic, room, true);
    EXPECT_EQ(warps.choose(room, opens).row, 1) << "before the older one, which runs on";
}

TEST(DominatorTree, IsThatOfGoingUpStepByStep) {
    Dice dice;
    std::vector<int> nearest;
    for (int block = 0; block < 60; ++block) nearest.push_back(block % 20 == 0 ? -1 : below(dice, block));
    const DominatorTree tree(nearest);
    int above = 0;
    for (int block = 0; block < 60; ++block) {
        for (int other = 0; other < 60; ++other) {
            int at = other;
            while (at >= 0 && at != block) at = nearest[std::size_t(at)];
            ASSERT_EQ(tree.is_above(block, other), at == block) << block << " above " << other;
            above += at == block;
        }
    }
    EXPECT_GT(above, 120);
}

WarpTrace traced() {
    WarpTrace made;
    made.path = {{0, ~0u, 0, 0}, {1, 0xffffu, 0, 0}, {2, ~0u, 1, 1}};
    made.accesses.resize(1);
    made.accesses.front().sectors = 4;
    made.rare.push_back({7, 1, 2});
    return made;
}

TEST(AlikeWarps, AreThoseOfTheSameWayWhereverTheyAskTheMemory) {
    const WarpTrace one = traced();
    WarpTrace other = traced();
    other.accesses.front().sectors = 32;
    other.thread_block = 5;
    EXPECT_TRUE(are_alike(one, other));
    EXPECT_EQ(alike_key(one), alike_key(other));
    const auto differs = [&](auto&& change) {
        WarpTrace changed = traced();
        change(changed);
        return !are_alike(one, changed);
    };
    EXPECT_TRUE(differs([](WarpTrace& warp) { warp.path[1].mask = 1; })) << "other lanes";
    EXPECT_TRUE(differs([](WarpTrace& warp) { warp.path[1].block = 2; }));
    EXPECT_TRUE(differs([](WarpTrace& warp) { warp.path[2].first_access = 0; }));
    EXPECT_TRUE(differs([](WarpTrace& warp) { warp.accesses[0].sectors = 0; }))
        << "a request that does not count";
    EXPECT_TRUE(differs([](WarpTrace& warp) { warp.accesses[0].ptx_line = 3; }));
    EXPECT_TRUE(differs([](WarpTrace& warp) { warp.rare[0].way = 3; })) << "other operands";
    EXPECT_TRUE(differs([](WarpTrace& warp) { warp.path.pop_back(); }));
}

// A set of four lines of which the least recently used goes, as a list.
TEST(CacheLevel, EvictsTheLineThatWasUsedLongestAgo) {
    constexpr int kWays = 4;
    CacheLevel cache(std::uint64_t(kWays) * 128, kWays);
    std::vector<std::uint64_t> lines;  // the last used one at the end
    std::map<std::uint64_t, std::uint32_t> sectors;
    Dice dice;
    int missing = 0;
    for (int i = 0; i < 3000; ++i) {
        const auto line = std::uint64_t(below(dice, 6));
        const std::uint32_t wanted = 1u << below(dice, 4);
        const auto found = std::find(lines.begin(), lines.end(), line);
        const std::uint32_t lacks = found == lines.end() ? wanted : wanted & ~sectors[line];
        if (found != lines.end())
            lines.erase(found);
        else
            sectors[line] = 0;
        lines.push_back(line);
        sectors[line] |= wanted;
        const bool replaced = lines.size() > std::size_t(kWays);
        if (replaced) lines.erase(lines.begin());
        const CacheLevel::Taken taken = cache.take({line, wanted});
        ASSERT_EQ(taken.missing, lacks) << i;
        ASSERT_EQ(taken.evicted == taken.place, replaced) << i;
        missing += taken.missing != 0;
    }
    EXPECT_GT(missing, 500);
    EXPECT_LT(missing, 2500);
}

}  // namespace
}  // namespace ws
