// Rules of the load/store unit in the clock: its queue, the way of operands, turns at L1's banks.

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "gpu/analysis/calendar.h"
#include "gpu/analysis/clock_units.h"
#include "gpu/analysis/memory_path.h"
#include "tests/clock_programs.h"

namespace ws {
namespace {

using namespace ws::testing;

// Of what L1 lacks only so many sectors may be on their way: the next load waits in L1 until the oldest are
// there, and once as many loads as there is room for wait behind it, warps wait for a pipe.
TEST(WarpClock, LoadsWaitForAPlaceForWhatTheyLack) {
    ClockRates with = rates();
    const auto loads = [&](int places, int count, int sectors) {
        with.sectors_on_their_way = places;
        std::vector<MachineInstruction> code(std::size_t(count), load(0));
        code.push_back(waiting(arithmetic(1), 1));
        code.push_back(last());
        return run({.code = code, .access = line_of_memory(sectors), .past_l2 = 0}, with);
    };
    const double l2 = with.latency.l2;
    EXPECT_NEAR(double(loads(12, 3, 4).clocks), l2, 30);
    EXPECT_NEAR(double(loads(8, 3, 4).clocks), 2 * l2, 30) << "two lines are on their way";
    EXPECT_NEAR(double(loads(8, 5, 4).clocks), 3 * l2, 30);
    EXPECT_NEAR(double(loads(8, 8, 1).clocks), l2, 30) << "eight sectors are";
    EXPECT_NEAR(double(loads(2, 1, 4).clocks), l2, 30) << "more than ever: once it is empty";
    EXPECT_LT(at(loads(8, 60, 4), WarpState::pipe), 100) << "they wait in L1";
    EXPECT_GT(at(loads(8, 130, 4), WarpState::pipe), 5 * l2) << "which has room for 64";
}

// Each line that L1 lacks has a place there while it is on its way, however many of its sectors are wanted.
TEST(WarpClock, LinesOnTheirWayHaveTheirPlaceInL1) {
    const auto loads = [](std::uint64_t lines, int count, std::uint32_t sectors) {
        std::vector<MachineInstruction> code(std::size_t(count), load(0));
        code.push_back(waiting(arithmetic(1), 1));
        code.push_back(last());
        Program program{.code = code, .past_l2 = 0};
        for (int i = 0; i < count; ++i) program.lines.push_back({std::uint64_t(1000 + i), sectors});
        program.l1_bytes = lines * kLineBytes;
        ClockRates with = rates();
        with.l2.read_sector = with.l2.read_line = 0;
        return double(run(program, with).clocks);
    };
    const double l2 = rates().latency.l2;
    for (const std::uint32_t sectors : {0b1111U, 0b0010U}) {
        EXPECT_NEAR(loads(16, 16, sectors), l2, 100) << sectors;
        EXPECT_NEAR(loads(8, 16, sectors), 2 * l2, 100) << sectors;
        EXPECT_NEAR(loads(4, 16, sectors), 4 * l2, 150) << sectors;
    }
    // Of a line that is on its way other sectors take no other place.
    Program program{.code = std::vector<MachineInstruction>(16, load(0)), .past_l2 = 0};
    program.code.push_back(waiting(arithmetic(1), 1));
    program.code.push_back(last());
    for (int i = 0; i < 16; ++i) program.lines.push_back({std::uint64_t(1000 + i / 4), 1U << i % 4});
    program.l1_bytes = 4 * kLineBytes;
    EXPECT_NEAR(double(run(program).clocks), l2, 150);
}

TEST(ClockUnits, WhatComesTakesTheFirstTimeThatIsLongEnough) {
    Calendar calendar;
    EXPECT_EQ(calendar.take(0, 2), 0);
    EXPECT_EQ(calendar.take(10, 2), 10);
    EXPECT_EQ(calendar.take(1, 9), 12) << "before 10 is room for 8";
    EXPECT_EQ(calendar.take(1, 8), 2);
    EXPECT_EQ(calendar.take(0, 1), 21);
    calendar.forget(30);
    EXPECT_EQ(calendar.take(30, 1), 30);
}

TEST(ClockUnits, WhatIsAskedForEarlierMayComeLater) {
    SharedUnit unit(2, {.own = 12, .read = 1, .shared = 18, .reads_after = 0});
    double done = 0;
    for (int i = 0; i < 10; ++i) done = unit.take(0, 0, {.reading = 4});
    EXPECT_EQ(done, 9 * 4 + 1);
    EXPECT_EQ(unit.reads(0), 9 * 4);
    EXPECT_EQ(unit.take(1, 5, {.reading = 4}), 6) << "of another scheduler, between them";
}

// What goes to memory waits in its scheduler's queue until that of all has room; other requests have places
// in between, of each scheduler.
TEST(ClockUnits, RequestsToMemoryWaitInTheQueueOfTheirScheduler) {
    const auto taken = [](int schedulers, bool of_memory) {
        const UnitQueue queue;
        SharedUnit unit(schedulers, queue);
        int count = 0;
        for (int scheduler = 0; scheduler < schedulers; ++scheduler)
            for (; unit.ready(scheduler) < 1e5; ++count)  // soon
                (void)unit.take(scheduler, 1000, {.clocks = 1e6, .of_memory = of_memory});
        return count;
    };
    const UnitQueue queue;
    EXPECT_EQ(taken(2, true) - taken(1, true), queue.own);
    EXPECT_EQ(taken(4, true) - taken(2, true), 2 * queue.own);
    EXPECT_EQ(taken(2, false) - taken(1, false), queue.own + queue.read);
    EXPECT_EQ(taken(4, false) - taken(2, false), 2 * (queue.own + queue.read));
}

// A special register passes loads that wait, but not what its scheduler stores.
TEST(WarpClock, SpecialRegistersPassLoads) {
    const MachineCode code;
    ClockLoad load;
    load.code = &code;
    ClockRates with = rates();
    with.loads_in_l1 = 1;
    MemoryPath path(load, with);
    const WarpTrace trace;
    TracedAccess apart = line_of_memory();
    apart.lines = apart.sectors = apart.wavefronts = 32;
    apart.past_l1 = 0;
    for (int i = 0; i < 200; ++i) (void)path.request(trace, apart, {}, 0);
    EXPECT_GT(path.lsu_ready(0), 500) << "the queue is full of loads";
    EXPECT_EQ(path.special_ready(0), 0);
    EXPECT_LT(path.special_register({}, 0), 20) << "between two that wait for their turn in L1";
    TracedAccess stored = line_of_memory();
    stored.kind = MachineKind::store;
    const double left = path.request(trace, stored, {}, 0).left;
    EXPECT_GT(left, 500);
    EXPECT_GE(path.special_register({}, 0), left - 1);
    EXPECT_LT(path.special_register({.scheduler = 1}, 0), 60) << "of another scheduler";
    // Its place in the queue is that of what uses shared memory.
    TracedAccess word;
    word.space = MemorySpace::shared;
    word.lanes = 32;
    word.wavefronts = 32;
    for (int i = 0; i < 50; ++i) (void)path.request(trace, word, {.scheduler = 2}, 0);
    EXPECT_GT(path.special_ready(2), 500);
}

// By a tenth of the mean sooner or later, by where a line's slice is; a request waits for its farthest line.
TEST(WarpClock, LinesOfTheSecondLevelAreNotAllAsFar) {
    const MachineCode code;
    ClockLoad load;
    load.code = &code;
    load.past_l2 = 0;
    load.l1_bytes = 1 << 14;
    const ClockRates with = rates();
    MemoryPath path(load, with);
    const auto latency = [&](std::uint64_t first, int lines, double now) {
        WarpTrace trace;
        TracedAccess access = line_of_memory();
        access.by_l1 = true;
        access.lines = access.asked_lines = std::uint16_t(lines);
        for (int i = 0; i < lines; ++i) trace.asked.push_back({first + std::uint64_t(i), 15});
        return path.request(trace, access, {}, now).done - now;
    };
    double least = 1e9, most = 0, sum = 0;
    constexpr int kLines = 400;
    for (int i = 0; i < kLines; ++i) {
        const double one = latency(std::uint64_t(1000 + i), 1, 1e4 * (i + 1));
        least = std::min(least, one);
        most = std::max(most, one);
        sum += one;
    }
    const double l2 = with.latency.l2;
    EXPECT_NEAR(sum / kLines, l2 + 5, 5);
    EXPECT_NEAR(most - least, 0.2 * l2, 3);
    EXPECT_GT(latency(1 << 20, 16, 1e8), l2 * 1.05) << "the farthest of 16";
}

// 15 loads of 32 wavefronts: looked up in 120 clocks, their data are there in 480.
TEST(WarpClock, SharedMemoryTakesTurnsWithLoadsThatWaitInL1) {
    const MachineCode code;
    ClockLoad load;
    load.code = &code;
    const ClockRates with = rates();
    MemoryPath path(load, with);
    const WarpTrace trace;
    TracedAccess apart;
    apart.lanes = 32;
    apart.lines = apart.sectors = apart.wavefronts = 32;
    double last = 0;
    for (int i = 0; i < 15; ++i) last = path.request(trace, apart, {}, 0).done;
    EXPECT_NEAR(last, 15 * 32 + with.latency.l1, 10);
    TracedAccess word = apart;
    word.space = MemorySpace::shared;
    word.wavefronts = 20;
    EXPECT_NEAR(path.request(trace, word, {}, 130).done, 130 + 2 * 20 + with.latency.shared, 1);
    EXPECT_NEAR(path.request(trace, apart, {}, 200).done, last + 20 + 32, 1)
        << "the banks have worked for it";
}

// Its address, and what it stores, go to the unit a register after the other.
TEST(WarpClock, OperandsOfRequestsTakeTheWayOfTheirScheduler) {
    TracedAccess word;
    word.space = MemorySpace::shared;
    word.lanes = 32;
    word.wavefronts = 1;
    const auto clocks = [&](int registers, int warps) {
        MachineInstruction one = load(-1);
        one.reads[0] = {2, std::uint8_t(registers)};
        Program program{.code = std::vector<MachineInstruction>(200, one), .access = word, .warps = warps};
        program.code.push_back(last());
        return double(run(program).clocks);
    };
    const double queued = 8;  // what still waits for them holds nobody
    EXPECT_NEAR(clocks(2, 1), (200 - queued) * 4, 10);
    EXPECT_NEAR(clocks(1, 1), (200 - queued) * 2, 10);
    EXPECT_NEAR(clocks(2, 4), clocks(2, 1), 30) << "each scheduler has one";
    EXPECT_NEAR(clocks(1, 4), 4 * 200 - 66, 30) << "but the unit takes one a clock";
}

TEST(WarpClock, AFullQueueHoldsWarpsByTheNumberOfTheirRequests) {
    // A request of 32 wavefronts waits in the queue as one of a single one does.
    TracedAccess conflict;
    conflict.space = MemorySpace::shared;
    conflict.lanes = 32;
    conflict.wavefronts = 32;
    MachineInstruction shared = load(0);
    shared.space = MemorySpace::shared;
    const std::vector<MachineInstruction> code{shared, waiting(arithmetic(1), 1), last()};
    ClockRates with = rates();
    with.lsu_queue = {8, 1, 8};
    const ClockRun roomy = run({.code = code, .access = conflict, .warps = 32}, with);
    EXPECT_GE(roomy.clocks, 32 * 32);
    EXPECT_EQ(at(roomy, WarpState::pipe), 0) << "all are in the queue, and wait for their words";
    with.lsu_queue = {1, 1, 1};
    const ClockRun full = run({.code = code, .access = conflict, .warps = 32}, with);
    EXPECT_GT(2 * at(full, WarpState::pipe), at(full, WarpState::dependency));
    EXPECT_NEAR(double(full.clocks), double(roomy.clocks), 40) << "the work is the same";
}

TEST(WarpClock, WhoIsNotChosenDoesNotWaitForAQueueThatHasRoom) {
    // The other block goes first and fills the queue now and then; most of the time there is room.
    std::vector<MachineInstruction> code;
    for (int i = 0; i < 4; ++i) {
        code.push_back(load(-1));
        code.insert(code.end(), 50, arithmetic(1));
    }
    code.push_back(last());
    ClockRates with = rates();
    with.lsu_queue.own = 1;
    const ClockRun made =
        run({.code = code, .access = line_of_memory(0), .warps = 4, .blocks = 2, .resident = 2}, with);
    EXPECT_GT(at(made, WarpState::pipe), 0);
    EXPECT_LT(at(made, WarpState::pipe), 4 * 40);
    EXPECT_GT(at(made, WarpState::not_selected), 4 * 150);
}

// Of many loads, each of so many lines, which nothing but L1 holds.
double clocks_of_a_load(const std::function<LineSectors(int load, int line)>& line, int lines,
                        int bytes = 4) {
    constexpr int kLoads = 2000, kWarps = 8;
    MachineCode code;
    MachinePath path;
    std::vector<WarpTrace> traces(kWarps);
    for (int i = 0; i < kLoads; ++i) {
        code.instructions.push_back(load(-1));
        code.instructions.back().bytes = bytes;
        path.steps.push_back({i, i, 32});
    }
    code.instructions.push_back(last());
    path.steps.push_back({kLoads, -1, 32});
    ClockLoad loaded;
    loaded.code = &code;
    loaded.l1_bytes = 128 << 10;
    loaded.past_l2 = loaded.scattered_past_l2 = 0;
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

TEST(MemoryPath, WhatBanksLoseIsNoWorkOfTheirs) {
    const MachineCode code;
    ClockLoad load;
    load.code = &code;
    load.l1_bytes = 1 << 14;
    const ClockRates with = rates();
    MemoryPath path(load, with);
    WarpTrace trace;
    trace.asked = {{1, 0b1111}};
    TracedAccess access = line_of_memory();
    access.by_l1 = true;
    access.past_l1 = 0;
    access.asked_lines = 1;
    access.wavefronts = access.lookups = 1;
    const double first = path.request(trace, access, {.narrow = true}, 0).left;
    const double second = path.request(trace, access, {.narrow = true}, 0).left;
    EXPECT_EQ(second - first, 2) << "it is late, too";
    std::array<double, kParts> busy{};
    path.add_busy(busy);
    EXPECT_EQ(busy[std::size_t(Part::l1)], 2);
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

TEST(WarpClock, ALoadOfNoLaneTakesTheLoadStoreUnitAClock) {
    MachineInstruction shared = load(-1);
    shared.space = MemorySpace::shared;
    Program program{.code = std::vector<MachineInstruction>(64, shared), .warps = 16};
    program.code.push_back(last());
    program.accesses = false;
    EXPECT_GE(run(program).clocks, 64 * 16 - 66) << "what is still in the queue holds nobody";
    program.code.assign(64, arithmetic(1));
    program.code.push_back(last());
    EXPECT_LT(run(program).clocks, 64 * 16 / 2);
}

TEST(WarpClock, ConstantsByAddressAndSpecialRegistersShareAUnit) {
    MachineInstruction special = arithmetic(1, MachinePipe::adu);
    special.name = "S2UR";
    special.control.write_barrier = 0;
    const ClockRun registers =
        run({.code = {special, special, waiting(arithmetic(1), 1), last()}, .warps = 32});
    EXPECT_GE(registers.clocks, 2 * 32 * 2) << "2 clocks each, on all schedulers together";
    TracedAccess constant;
    constant.space = MemorySpace::constant;
    constant.wavefronts = 8;  // different addresses
    MachineInstruction indexed = load(0);
    indexed.name = "LDC";
    indexed.kind = MachineKind::constant_load;
    indexed.pipe = MachinePipe::adu;
    indexed.space = MemorySpace::constant;
    const ClockRun addresses =
        run({.code = {indexed, waiting(arithmetic(1), 1), last()}, .access = constant, .warps = 32});
    EXPECT_GE(addresses.clocks, 8 * 2 * 32);
    EXPECT_NEAR(addresses.busy[std::size_t(Part::constant)], 8 * 2 * 32, 1);
    EXPECT_EQ(addresses.busy[std::size_t(Part::adu)], 0);
    EXPECT_NEAR(registers.busy[std::size_t(Part::adu)], 2 * 2 * 32, 1);
}

}  // namespace
}  // namespace ws
