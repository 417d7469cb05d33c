// Rules of L1's banks in the clock: what they give in its turn, and what when it has come.

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

#include "gpu/analysis/memory_path.h"
#include "tests/clock_programs.h"

namespace ws {
namespace {

using namespace ws::testing;

// Of many loads, each of so many lines, which nothing but L1 holds.
double clocks_of_a_load(const std::function<LineSectors(int load, int line)>& line, int lines,
                        int bytes = 4) {
    constexpr int kLoads = 2000, kWarps = 8;
    MachineCode code;
    MachinePath path;
    std::vector<WarpTrace> traces(kWarps);
    for (int i = 0; i < kLoads; ++i) {
        code.instructions.push_back(load(0));
        code.instructions.back().bytes = bytes;
        path.steps.push_back({i, i, 32});
    }
    code.instructions.push_back(waiting(arithmetic(1), 1));
    code.instructions.push_back(last());
    path.steps.push_back({kLoads, -1, 32});
    path.steps.push_back({kLoads + 1, -1, 32});
    ClockLoad loaded;
    loaded.code = &code;
    loaded.l1_bytes = 128 << 10;
    loaded.past_l2 = {0, 0, 0, 0, 0};
    loaded.blocks.resize(1);
    for (int warp = 0; warp < kWarps; ++warp) {
        WarpTrace& trace = traces[std::size_t(warp)];
        for (int i = 0; i < kLoads; ++i) {
            TracedAccess access = line_of_memory();
            access.by_l1 = true;
            access.past_l1 = 0;
            access.wavefronts = access.lookups = 1;
            access.lines = std::uint16_t(lines);
            access.sectors = std::uint16_t(lines);
            access.asked_lines = std::uint8_t(lines);
            access.first_asked = int(trace.asked.size());
            for (int k = 0; k < lines; ++k) {
                trace.asked.push_back(line(warp * kLoads + i, k));
            }
            trace.accesses.push_back(access);
        }
        loaded.blocks.front().push_back({&path, &trace});
    }
    ClockRates with = rates();
    with.l2.read_sector = with.l2.read_line = 0;
    with.latency.l2 = with.latency.l1 + 100;
    return double(run_clock(loaded, with).clocks) / kLoads / kWarps;
}

TEST(WarpClock, ALoadOfWhichAPartIsLateTakesTheBanksTwice) {
    const auto same = [](int, int k) { return LineSectors{std::uint64_t(k), 1}; };
    const auto other = [](int load, int k) { return LineSectors{std::uint64_t(load * 4 + k + 100), 1}; };
    EXPECT_NEAR(clocks_of_a_load(same, 1), 1, 0.05);
    EXPECT_NEAR(clocks_of_a_load(same, 4), 1, 0.05) << "from different banks";
    EXPECT_NEAR(clocks_of_a_load(other, 1), 1, 0.05);
    EXPECT_NEAR(clocks_of_a_load(other, 4), 1, 0.05);
    const auto half = [&](int load, int k) { return k < 2 ? same(load, k) : other(load, k); };
    EXPECT_NEAR(clocks_of_a_load(half, 4), 2.6, 0.05) << "and loses the clocks between them";
}

TEST(WarpClock, LateWordsOfFewerThanFourBytesTakeTheBanksTwice) {
    for (const int bytes : {1, 2, 4}) {
        const double more = bytes < 4 ? 1 : 0;
        // One in so many is of a line that nobody had.
        const auto one_in = [&](int number, int lines) {
            return clocks_of_a_load(
                [number](int load, int k) {
                    const bool is_new = load % number == 0 && k == 0;
                    return LineSectors{is_new ? std::uint64_t(4 * load + 100) : std::uint64_t(k), 1};
                },
                lines, bytes);
        };
        EXPECT_NEAR(one_in(1, 1), 1 + more, 0.05) << bytes;
        EXPECT_NEAR(one_in(1 << 20, 1), 1, 0.05) << bytes << ": none is late";
        EXPECT_NEAR(one_in(2, 1), bytes < 4 ? 1.5 : 1.15, 0.05) << bytes;
        EXPECT_NEAR(one_in(1, 4), bytes < 4 ? 3 : 2.6, 0.05) << bytes << ": one of four lines is late";
    }
}

TEST(WarpClock, BanksLoseClocksBetweenWhatWasThereAndWhatComes) {
    // One in so many is of a line that nobody had.
    const auto one_in = [](int number) {
        return clocks_of_a_load(
            [number](int load, int) {
                return LineSectors{load % number == 0 ? std::uint64_t(load + 100) : 0, 1};
            },
            1);
    };
    EXPECT_NEAR(one_in(1), 1, 0.05);
    EXPECT_NEAR(one_in(8), 1.07, 0.03);
    EXPECT_NEAR(one_in(2), 1.15, 0.03);
}

// Requests one by one.
struct Requests {
    static ClockLoad loaded(const MachineCode& code) {
        ClockLoad load;
        load.code = &code;
        load.l1_bytes = 128 << 10;
        load.past_l2 = {0, 0, 0, 0, 0};
        return load;
    }
    // One line, which takes the banks so many clocks.
    Answer load(std::uint64_t line, double now, int clocks = 1, bool narrow = false) {
        WarpTrace trace;
        trace.asked = {{line, 0b1111}};
        TracedAccess access = line_of_memory();
        access.by_l1 = true;
        access.past_l1 = 0;
        access.asked_lines = 1;
        access.lookups = 1;
        access.wavefronts = std::uint16_t(clocks);
        return path.request(trace, access, {.narrow = narrow}, now);
    }
    // A texture's, which L1 lacks.
    Answer texture(double now) {
        const WarpTrace trace;
        TracedAccess access = line_of_memory(4);
        access.kind = MachineKind::texture;
        access.space = MemorySpace::texture;
        return path.request(trace, access, {}, now);
    }
    Answer store(double now, int sectors) {
        const WarpTrace trace;
        TracedAccess access = line_of_memory(sectors);
        access.kind = MachineKind::store;
        access.lines = std::uint16_t(sectors);
        return path.request(trace, access, {}, now);
    }
    // So many sectors, each of which the second level takes in 20 clocks.
    void store_slowly(int stores) {
        with.l2.write_part = with.l2.write_sector = 20;
        with.l2.write_line = 0;
        for (int i = 0; i < stores; ++i) (void)store(0, 1);
    }

    ClockRates with = rates();
    MachineCode code;
    ClockLoad launch = loaded(code);
    MemoryPath path{launch, with};
};

TEST(MemoryPath, WhatBanksLoseIsNoWorkOfTheirs) {
    Requests one;
    const double first = one.load(1, 0, 1, true).done;
    const double second = one.load(1, 0, 1, true).done;
    EXPECT_EQ(second - first, 1) << "it is late, too";
    std::array<double, kParts> busy{};
    one.path.add_busy(busy);
    EXPECT_EQ(busy[std::size_t(Part::l1)], 2);
}

TEST(MemoryPath, LoadsThatWaitForTheirLinesHoldNoneThatHit) {
    Requests one;
    (void)one.load(7, 0);
    constexpr double kNow = 5000;  // long there
    for (std::uint64_t i = 0; i < 40; ++i) (void)one.load(1000 + i, kNow);
    const double hit = one.load(7, kNow).done;
    EXPECT_NEAR(hit, kNow + 40 + one.with.latency.l1, 5) << "behind the looking up of the others";
    EXPECT_GT(one.load(1000, kNow).done, kNow + 0.9 * one.with.latency.l2) << "which is on its way";
    // Nor does one that hits, and takes the banks for long, hold their looking up.
    constexpr double kLater = 9000;
    (void)one.load(7, kLater, 400);
    for (std::uint64_t i = 0; i < 60; ++i) (void)one.load(2000 + i, kLater);
    EXPECT_LT(one.path.room(SharedQueue::lsu, 0), kLater + 100);
}

TEST(MemoryPath, LoadsThatHitWaitForThoseBeforeThem) {
    Requests one;
    (void)one.load(7, 0);
    constexpr double kNow = 5000;
    const int room = one.with.loads_in_l1;
    double done = 0;
    for (int i = 0; i <= room; ++i) done = one.load(7, kNow, 32).done;
    EXPECT_NEAR(done, kNow + (room + 1) * 32 + one.with.latency.l1, 2);
    // Another one is looked up once the first has left.
    Requests held;
    for (int i = 0; i < 60; ++i) (void)held.load(7, kNow, 32);
    EXPECT_GT(held.path.room(SharedQueue::lsu, 0), kNow + 32) << "so that the queues fill";
}

TEST(MemoryPath, WhatComesAtTheSameTimeTakesTheBanksOneAfterTheOther) {
    Requests one;
    (void)one.load(7, 0);
    constexpr double kNow = 5000;
    const double first = one.load(1000, kNow, 32).done;
    EXPECT_NEAR(first - kNow, one.with.latency.l2 + 32, 0.1 * one.with.latency.l2 + 10);
    const double same = one.load(1000, kNow, 32).done;
    EXPECT_NEAR(same - first, 32, 2);
    // What hits goes meanwhile; while they work for what has come, it waits for twice its own clocks at most.
    const double begun = first - 32 - one.with.latency.l1 + 2;
    EXPECT_NEAR(one.load(7, begun - 50, 4).done, begun - 50 + 4 + one.with.latency.l1, 2);
    EXPECT_NEAR(one.load(7, begun, 4).done, begun + 3 * 4 + one.with.latency.l1, 2);
}

TEST(MemoryPath, LateWordsOfFewerThanFourBytesKeepTheirTurn) {
    Requests one;
    double left = 0;
    for (std::uint64_t i = 0; i < 8; ++i) left = one.load(1000 + i, 0, 32, true).left;
    EXPECT_NEAR(left, 8 * 32, 2);
    Requests wide;
    for (std::uint64_t i = 0; i < 8; ++i) left = wide.load(1000 + i, 0, 32).left;
    EXPECT_LT(left, 12) << "others have none before they come";
}

TEST(MemoryPath, WhatIsStoredLetsLoadsPassUntilTheirWayIsFull) {
    const auto load_behind = [](int stores) {
        Requests one;
        one.store_slowly(stores);
        return one.load(1000, 200).done;
    };
    const double alone = load_behind(0);
    EXPECT_NEAR(load_behind(80), alone, 30) << "their work of 1600 clocks is not before it";
    EXPECT_GT(load_behind(180), alone + 1000) << "but for what goes beyond 90 sectors";
}

TEST(MemoryPath, WhatIsStoredLetsTexturesAndCodePassInTheSecondLevel) {
    const auto behind = [](int stores) {
        Requests one;
        one.store_slowly(stores);
        return one.path.code_line(200) + one.texture(200).done;
    };
    EXPECT_NEAR(behind(80), behind(0), 10) << "their work of 1600 clocks is not before them";
}

}  // namespace
}  // namespace ws
