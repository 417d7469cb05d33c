// The way to the second level, and its slice that most atomics go to: as one multiprocessor meets them.

#include "gpu/analysis/hot_slice.h"

#include <gtest/gtest.h>

#include "gpu/analysis/l2_way.h"

namespace ws {
namespace {

TEST(L2Way, WhatIsStoredGoesInItsOrder) {
    L2Way way(8);
    EXPECT_EQ(way.pass(10, 10, 4, false), 10) << "nobody is before it";
    EXPECT_EQ(way.pass(20, 500, 4, false), 500);
    EXPECT_EQ(way.pass(40, 100, 4, false), 500) << "it could go, but not past another one";
    EXPECT_EQ(way.pass(600, 600, 4, false), 600);
    EXPECT_EQ(way.last(), 600);
}

TEST(L2Way, HasRoomForSoMuchData) {
    L2Way way(8);
    way.pass(0, 100, 4, false);
    EXPECT_EQ(way.room(1, 4), 1);
    EXPECT_EQ(way.room(1, 5), 100);
    way.pass(1, 200, 4, false);
    EXPECT_EQ(way.room(2, 1), 100) << "until the first one has left";
    EXPECT_EQ(way.room(2, 5), 200);
    EXPECT_EQ(way.room(2, 32), 200) << "what it never has room for, goes alone";
    EXPECT_EQ(way.room(150, 4), 150);
    EXPECT_EQ(way.pass_load(150), 150);
    EXPECT_EQ(way.room(210, 8), 210) << "a load has no data with it";
}

// Behind stores that are taken one after the other, 1000 clocks each.
TEST(L2Way, LoadsPassUntilTooMuchWaits) {
    const auto behind = [](int stores, double sectors) {
        L2Way way(256);
        for (int i = 0; i < stores; ++i) way.pass(i, 1000.0 * (i + 1), sectors, false);
        return way.pass_load(stores);
    };
    EXPECT_EQ(behind(8, 4), 8) << "a line each";
    EXPECT_EQ(behind(30, 1), 30) << "a word each";
    EXPECT_EQ(behind(2, 32), 2);
    EXPECT_EQ(behind(4, 32), 2000) << "once 64 sectors are left";
    EXPECT_EQ(behind(8, 32), 6000);
}

// Behind adds that the hot slice takes one after the other, 1000 clocks each.
TEST(L2Way, AmongAtomicsALoadWaitsByTheSliceOfItsLine) {
    constexpr double kHot = 0.001, kNear = 0.1, kFar = 0.9;
    const auto wait_behind = [](int adds, int slices, double place) {
        L2Way way(256, slices);
        for (int i = 0; i < adds; ++i) way.pass(0, 1000.0 * (i + 1), 4, true);
        EXPECT_EQ(way.pass_load(0), 0) << "it waits for itself";
        return way.wait_of_load(0, place);
    };
    EXPECT_EQ(wait_behind(12, 1, kNear), 0);
    EXPECT_EQ(wait_behind(20, 1, kNear), 8000) << "once 50 sectors are left";
    EXPECT_EQ(wait_behind(20, 1, kFar), 0);
    EXPECT_EQ(wait_behind(32, 1, kFar), 10000) << "once 90 are left";
    EXPECT_EQ(wait_behind(32, 4, kFar), 0) << "more slices have more room";
    EXPECT_EQ(wait_behind(32, 4, kNear), 11000);
    EXPECT_EQ(wait_behind(60, 4, kFar), 27000);
    EXPECT_EQ(wait_behind(60, 3, kFar), 32000) << "as with two";
    EXPECT_EQ(wait_behind(60, 12, kFar), 23000) << "as with eight";
    EXPECT_EQ(wait_behind(20, 0, kHot), 0) << "there are none";
    EXPECT_EQ(L2Way(256, 1).wait_of_load(500, kHot), 0) << "none has come yet";
}

// What lies there waits in the slice, for what all multiprocessors have sent, out of step.
TEST(L2Way, ALoadFromAHotSliceWaitsForThatToo) {
    constexpr double kHot = 0.001;
    L2Way way(256, 1);
    way.pass(50, 90, 4, false);
    way.pass(100, 1100, 4, true);
    EXPECT_EQ(way.wait_of_load(100, kHot), 0) << "all have just begun";
    EXPECT_NEAR(way.wait_of_load(1100, kHot), L2Way::kInSlices * 500, 1e-9) << "on average so far";
    EXPECT_NEAR(way.wait_of_load(2100, kHot), L2Way::kInSlices * 250, 1e-9);
    way.pass(2100, 4100, 4, true);
    EXPECT_NEAR(way.wait_of_load(4100, kHot), L2Way::kInSlices * (500e3 + 2e6) / 4000, 1e-9);
    EXPECT_NEAR(L2Way::kLinesOfSlice, 1.0 / 64, 1e-12);
    EXPECT_EQ(way.wait_of_load(4100, 0.02), 0) << "another slice";
    way.endless = true;
    EXPECT_EQ(way.wait_of_load(4100, kHot), 0);
}

// One that had to wait for room comes before loads that were made earlier.
TEST(L2Way, AMeanIsNoneOfClocksThatAreYetToCome) {
    L2Way way(256, 1);
    way.pass(0, 10000, 4, true);
    way.pass(7000, 11000, 4, true);
    EXPECT_NEAR(way.wait_of_load(300, 0.001), L2Way::kInSlices * 6500, 1e-9);
}

TEST(L2Way, WhereAtomicsGoToEverySliceEveryLoadWaitsInOne) {
    L2Way way(256, 2000);
    way.pass(0, 1000, 4, true);
    EXPECT_NEAR(way.wait_of_load(1000, 0.999), L2Way::kInSlices * 500, 1e-9);
}

TEST(L2Way, StoresAreNoBacklogOfSlices) {
    L2Way way(256, 1);
    way.pass(0, 1000, 4, false);
    EXPECT_EQ(way.wait_of_load(500, 0.001), 0);
}

TEST(HotSlice, AtomicsGoOneAfterTheOther) {
    HotSlice slice(0);
    EXPECT_EQ(slice.take(1000, 50), 1050);
    EXPECT_EQ(slice.take(1010, 50), 1100);
    EXPECT_EQ(slice.take(2000, 50), 2050);
    EXPECT_EQ(slice.free(), 2050);
}

// Others use what one leaves unused, so that it may have as much later; on average none has more.
TEST(HotSlice, WhatIsLeftUnusedComesBack) {
    HotSlice slice(200);
    EXPECT_EQ(slice.take(1000, 100), 1100) << "all begin together: nobody has left anything";
    EXPECT_EQ(slice.take(1500, 100), 1500) << "400 clocks were left, 200 of them count";
    EXPECT_EQ(slice.take(1500, 100), 1500);
    EXPECT_EQ(slice.take(1500, 100), 1600);
    double last = 0;
    for (int i = 0; i < 1000; ++i) last = slice.take(1600, 100);
    EXPECT_EQ(last, 1600 + 1000 * 100);
}

TEST(HotSlice, WhatPassesMeetsNobodyBeforeTheFirstAtomic) {
    HotSlice slice(0);
    slice.use(0, 700);
    EXPECT_EQ(slice.take(100, 50), 150);
    slice.use(100, 700);
    EXPECT_EQ(slice.take(100, 50), 900);
}

}  // namespace
}  // namespace ws
