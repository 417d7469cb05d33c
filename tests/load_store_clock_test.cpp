// Rules of the load/store unit in the clock: its queue, the way of operands, turns at L1's banks.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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
    const int waiting = with.loads_in_l1 + with.lsu_queue.loads + with.lsu_queue.own;
    EXPECT_LT(at(loads(8, waiting, 4), WarpState::pipe), 100) << "two on their way, one to be issued";
    EXPECT_GT(at(loads(8, waiting + 12, 4), WarpState::pipe), 4 * l2);
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

TEST(ClockUnits, WhatMayHaveBreaksFillsWhatIsLeft) {
    Calendar calendar;
    (void)calendar.take(10, 5);
    (void)calendar.take(20, 5);
    EXPECT_EQ(calendar.busy_from(9), 0);
    EXPECT_EQ(calendar.busy_from(12), 3);
    EXPECT_EQ(calendar.fill(7, 0), 7);
    EXPECT_EQ(calendar.fill(8, 2), 10) << "all before the first";
    EXPECT_EQ(calendar.busy_from(8), 7) << "and one with it";
    EXPECT_EQ(calendar.fill(9, 6), 26) << "five between both, one behind";
    EXPECT_EQ(calendar.busy_from(8), 18);
    EXPECT_EQ(calendar.fill(30, 4), 34);
    EXPECT_EQ(calendar.fill(0, 8), 8);
    EXPECT_EQ(calendar.busy_from(0), 26);
    EXPECT_EQ(calendar.take(0, 5), 34) << "between 26 and 30 is room for four";
    EXPECT_EQ(calendar.fill(1, 4), 30);
    EXPECT_EQ(calendar.busy_from(0), 39);
}

TEST(ClockUnits, WhatIsAskedForEarlierMayComeLater) {
    SharedUnit unit(2, {.own = 12, .read = 1, .loads = 18, .stores = 14, .others = 18, .reads_after = 0});
    double done = 0;
    for (int i = 0; i < 10; ++i) done = unit.take(0, 0, {.reading = 4});
    EXPECT_EQ(done, 9 * 4 + 1);
    EXPECT_EQ(unit.reads(0), 9 * 4);
    EXPECT_EQ(unit.take(1, 5, {.reading = 4}), 6) << "of another scheduler, between them";
}

// What goes to memory waits in its scheduler's queue until that of all has room; other requests have places
// in between, of each scheduler.
TEST(ClockUnits, RequestsToMemoryWaitInTheQueueOfTheirScheduler) {
    using enum UnitWork::Kind;
    const auto taken = [](int schedulers, UnitWork::Kind kind) {
        const UnitQueue queue;
        SharedUnit unit(schedulers, queue);
        int count = 0;
        for (int scheduler = 0; scheduler < schedulers; ++scheduler)
            for (; unit.ready(scheduler) < 1e5; ++count)  // soon
                (void)unit.take(scheduler, 1000, {.clocks = 1e6, .kind = kind});
        return count;
    };
    const UnitQueue queue;
    for (const UnitWork::Kind kind : {load, store}) {
        EXPECT_EQ(taken(2, kind) - taken(1, kind), queue.own);
        EXPECT_EQ(taken(4, kind) - taken(2, kind), 2 * queue.own);
    }
    EXPECT_EQ(taken(1, load) - taken(1, store), queue.loads - queue.stores);
    EXPECT_EQ(taken(2, other) - taken(1, other), queue.own + queue.read);
    EXPECT_EQ(taken(4, other) - taken(2, other), 2 * (queue.own + queue.read));
}

// An instruction of the unit of constants is read at once.
TEST(ClockUnits, EachUnitHasItsQueue) {
    const ClockRates with;
    SharedUnit constants(1, with.adu_queue), memory(1, with.lsu_queue);
    (void)constants.take(0, 100, {});
    (void)memory.take(0, 100, {});
    EXPECT_EQ(constants.reads(0), 100);
    EXPECT_EQ(memory.reads(0), 103);
}

// On an H200 a warp of one scheduler issues 14 loads from shared memory before it waits, and then one every
// two clocks; of each of four schedulers 12, and then one every four.
TEST(ClockUnits, OneRequestAClockLeavesTheQueuesOfAllSchedulers) {
    const auto issues = [](int schedulers, int request) {  // when that one does, counted from 0
        SharedUnit unit(schedulers, UnitQueue{});
        std::vector<double> next(std::size_t(schedulers), 0.0);
        for (int i = 0; i < request; ++i)
            for (int scheduler = 0; scheduler < schedulers; ++scheduler) {
                double& now = next[std::size_t(scheduler)];
                now = std::max(now, std::ceil(unit.ready(scheduler)));
                (void)unit.take(scheduler, now++, {.reading = 2});
            }
        return std::max(next.front(), unit.ready(0));
    };
    EXPECT_EQ(issues(1, 13), 13);
    EXPECT_GT(issues(1, 14), 14);
    EXPECT_NEAR(issues(1, 15), 15 + 2, 1);
    EXPECT_NEAR(issues(1, 23), 23 + 10, 1);
    EXPECT_EQ(issues(4, 11), 11);
    EXPECT_GT(issues(4, 13), 13) << "there, too, or one earlier";
    EXPECT_NEAR(issues(4, 15), 15 + 12, 4) << "to a request";
    EXPECT_NEAR(issues(4, 23), 23 + 36, 4);
}

// What has been read of shared memory's requests and loads from memory does not hold each other.
TEST(ClockUnits, LoadsThatAreHeldHoldNoOtherRequests) {
    const UnitQueue queue;
    SharedUnit unit(2, queue);
    for (int i = 0; i < 2 * queue.loads; ++i)
        (void)unit.take(0, 0, {.from = 5000, .kind = UnitWork::Kind::load});
    EXPECT_LT(unit.take(1, 100, {}), 110);
    EXPECT_GT(unit.take(1, 100, {.kind = UnitWork::Kind::load}), 5000);
    EXPECT_GT(unit.take(0, 100, {}), 5000) << "whose operands come behind theirs";
    EXPECT_LT(unit.take(0, 100, {.overtakes = true}), 120) << "it has none";
}

// Until a scheduler's own queue is full of them.
TEST(ClockUnits, StoresThatAreHeldHoldNoLoads) {
    const UnitQueue queue;
    const auto load_behind = [&queue](int stores) {
        SharedUnit unit(2, queue);
        for (int i = 0; i < stores; ++i) (void)unit.take(0, 0, {.from = 5000, .kind = UnitWork::Kind::store});
        const double other = unit.take(1, 100, {.kind = UnitWork::Kind::load});
        EXPECT_EQ(other, 101) << "of another scheduler, behind " << stores;
        return unit.take(0, 100, {.kind = UnitWork::Kind::load});
    };
    EXPECT_EQ(load_behind(queue.stores), 102);
    EXPECT_GT(load_behind(queue.stores + 1), 5000);
}

// A special register passes loads that wait, but not what is stored, whichever scheduler stores it.
TEST(WarpClock, SpecialRegistersPassAQueueOfLoads) {
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
    EXPECT_GT(path.room(SharedQueue::lsu, 0), 500) << "the queue is full of loads";
    EXPECT_EQ(path.room(SharedQueue::special, 0), 0);
    EXPECT_LT(path.lane_register({}, 0), 30) << "between two that wait for their turn in L1";
    TracedAccess stored = line_of_memory();
    stored.kind = MachineKind::store;
    EXPECT_GT(path.request(trace, stored, {}, 0).left, 500);
    EXPECT_GT(path.lsu_reads(0), 500);
    const double read = path.lsu_reads(0);
    EXPECT_NEAR(path.lane_register({}, 0), read, 2) << "once its operands have been read";
    for (int i = 0; i < 2 * with.lsu_queue.own; ++i) (void)path.lane_register({}, 0);
    EXPECT_EQ(path.lsu_reads(0), read);
    EXPECT_GT(path.room(SharedQueue::lsu, 0), 500) << "it is as full of loads as before";
    TracedAccess word;
    word.space = MemorySpace::shared;
    word.lanes = 32;
    word.wavefronts = 32;
    TracedAccess stored_word = word;
    stored_word.kind = MachineKind::store;
    for (const TracedAccess& one : {stored, stored_word}) {
        MemoryPath others(load, with);
        for (int i = 0; i < 200; ++i) (void)others.request(trace, apart, {.scheduler = 2}, 0);
        const double before = others.lane_register({}, 0);
        (void)others.request(trace, one, {.scheduler = 2}, 0);
        EXPECT_GT(others.lane_register({}, 0), before + 400) << "of another scheduler";
    }
    // One request among them that does not go to memory, and they wait for room.
    MemoryPath mixed(load, with);
    for (int i = 0; i < 200; ++i) (void)mixed.request(trace, apart, {}, 0);
    (void)mixed.request(trace, word, {}, 0);
    EXPECT_GT(mixed.room(SharedQueue::special, 0), 500);
    EXPECT_EQ(mixed.room(SharedQueue::special, 0), mixed.room(SharedQueue::lsu, 0));
    for (int i = 0; i < with.lsu_queue.own; ++i) {
        EXPECT_GT(mixed.room(SharedQueue::special, 0), 500) << "after " << i;
        (void)mixed.request(trace, apart, {}, 0);
    }
    EXPECT_EQ(mixed.room(SharedQueue::special, 0), 0) << "it is no longer among those that wait";
    for (int i = 0; i < 50; ++i) (void)mixed.request(trace, word, {.scheduler = 2}, 0);
    EXPECT_GT(mixed.room(SharedQueue::special, 2), 500);
}

TEST(WarpClock, SpecialRegistersOfBlocksWaitForConstantsAndThoseOfLanesForWhatIsStored) {
    MachineInstruction stored = store(MemorySpace::shared);
    stored.reads[0] = stored.reads[1] = {4, 1};
    TracedAccess conflict;
    conflict.space = MemorySpace::shared;
    conflict.wavefronts = 32;
    // Clocks until what needs it goes on, behind so many others.
    const auto waits = [](MachinePipe pipe, const MachineInstruction& before, const TracedAccess& access) {
        MachineInstruction special = instruction("S2R", pipe, MachineKind::arithmetic);
        special.control.write_barrier = 0;
        Program program{.code = std::vector<MachineInstruction>(4, before), .access = access};
        program.code.push_back(special);
        program.code.push_back(waiting(arithmetic(1), 1));
        const std::size_t user = program.code.size() - 1;
        program.code.push_back(last());
        return double(run(program).by_instruction[user][std::size_t(WarpState::dependency)]);
    };
    const double alone = 20;
    EXPECT_GT(waits(MachinePipe::adu, indexed_constant(), different_constants(32)), 4 * 32 * 2);
    EXPECT_LT(waits(MachinePipe::lsu, indexed_constant(), different_constants(32)), 2 * alone);
    EXPECT_GT(waits(MachinePipe::lsu, stored, conflict), 2 * 32);
    EXPECT_LT(waits(MachinePipe::adu, stored, conflict), 2 * alone);
}

TEST(WarpClock, AQueueFullOfConstantsIsWhatSpecialRegistersOfBlocksWaitFor) {
    constexpr std::size_t kLoads = 40;
    const auto waits_before = [](MachinePipe pipe) {
        Program program{.code = std::vector<MachineInstruction>(kLoads, indexed_constant()),
                        .access = different_constants(32)};
        program.code.push_back(instruction("S2R", pipe, MachineKind::arithmetic));
        program.code.push_back(last());
        return run(program).by_instruction[kLoads][std::size_t(WarpState::pipe)];
    };
    EXPECT_GT(waits_before(MachinePipe::adu), 32);
    EXPECT_EQ(waits_before(MachinePipe::lsu), 0);
}

// On an H200 what needs a special register goes on 23, 25 and 35 clocks later.
TEST(WarpClock, ASpecialRegisterTakesLongestAsAUniformOne) {
    const auto clocks = [](const char* name, MachinePipe pipe) {
        MachineInstruction special = instruction(name, pipe, MachineKind::arithmetic);
        special.control.write_barrier = 0;
        const ClockRun with = run({.code = {special, waiting(arithmetic(1), 1), last()}});
        const ClockRun without = run({.code = {arithmetic(1), arithmetic(1), last()}});
        return double(with.clocks - without.clocks) + 1;
    };
    EXPECT_EQ(clocks("S2R", MachinePipe::lsu), 23);
    EXPECT_EQ(clocks("S2R", MachinePipe::adu), 25);
    EXPECT_EQ(clocks("S2UR", MachinePipe::adu), 35);
}

TEST(WarpClock, AFullQueueIsWhatSpecialRegistersWaitFor) {
    MachineInstruction word = load(-1);
    word.space = MemorySpace::shared;
    constexpr std::size_t kLoads = 60;
    Program program{.code = std::vector<MachineInstruction>(kLoads, word)};
    program.access.space = MemorySpace::shared;
    program.access.wavefronts = 32;
    program.code.push_back(instruction("S2R", MachinePipe::lsu, MachineKind::arithmetic));
    program.code.push_back(last());
    const ClockRun made = run(program);
    const StateClocks& waits = made.by_instruction[kLoads];
    EXPECT_GT(waits[std::size_t(WarpState::pipe)], 20);
    EXPECT_LE(waits[std::size_t(WarpState::not_selected)], 1);
}

// By a tenth of the mean sooner or later, by where a line's slice is; a request waits for its farthest line.
TEST(WarpClock, LinesOfTheSecondLevelAreNotAllAsFar) {
    const MachineCode code;
    ClockLoad load;
    load.code = &code;
    load.past_l2.loads = 0;
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
    with.lsu_queue = {.own = 8, .read = 1, .others = 8};
    const ClockRun roomy = run({.code = code, .access = conflict, .warps = 32}, with);
    EXPECT_GE(roomy.clocks, 32 * 32);
    EXPECT_EQ(at(roomy, WarpState::pipe), 0) << "all are in the queue, and wait for their words";
    with.lsu_queue = {.own = 1, .read = 1, .others = 1};
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

TEST(WarpClock, WhoWaitsForAQueueThatBarriersFillWaitsForIt) {
    const ClockRun made = run({.code = {barrier(), last()}, .warps = 64});
    EXPECT_GT(at(made, WarpState::pipe), 64 * 10) << "the unit takes 2 clocks for each of 64 arrivals";
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
    const ClockRun addresses = run({.code = {indexed_constant(0), waiting(arithmetic(1), 1), last()},
                                    .access = different_constants(8),
                                    .warps = 32});
    EXPECT_GE(addresses.clocks, 8 * 2 * 32);
    EXPECT_NEAR(addresses.busy[std::size_t(Part::constant)], 8 * 2 * 32, 1);
    EXPECT_EQ(addresses.busy[std::size_t(Part::adu)], 0);
    EXPECT_NEAR(registers.busy[std::size_t(Part::adu)], 2 * 2 * 32, 1);
}

}  // namespace
}  // namespace ws
