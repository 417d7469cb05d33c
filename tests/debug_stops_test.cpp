// Where the debugger stops: breakpoints, watches, steps, warps that wait, blocks before.

#include "tests/debug_sum.h"

namespace ws {
namespace {

using namespace ws::testing;
using debug::DebugError;
using debug::Focus;
using debug::Stop;
using Why = Stop::Why;

TEST(Stops, BreakpointsByLineAndCondition) {
    WS_NEED_COMPILER();
    Sum one;
    debug::Debugger& debugger = one.debugger();
    debugger.set_stops_at_findings(false);
    const int number = debugger.add_breakpoint({0, 8}, "apart == 16 && t == 5", false).number;
    Stop stop = debugger.run();
    ASSERT_EQ(stop.why, Why::breakpoint);
    EXPECT_EQ(stop.number, number);
    EXPECT_EQ(debugger.focus(), (Focus{0, 5})) << "the lane for which it holds";
    EXPECT_EQ(one.value_of("apart"), "16");
    EXPECT_EQ(one.value_of("t"), "5");
    const std::uint64_t there = debugger.now();
    EXPECT_EQ(debugger.go_on().why, Why::ended) << "of the lanes below 16 none is 5 in another warp";
    stop = debugger.go_back();
    EXPECT_EQ(stop.why, Why::breakpoint);
    EXPECT_EQ(debugger.now(), there) << "back to where it stopped";
    EXPECT_EQ(debugger.breakpoints().front().hits, 2);
    EXPECT_EQ(debugger.go_back().why, Why::beginning);
    EXPECT_TRUE(debugger.remove(number));
    EXPECT_FALSE(debugger.remove(number));
    EXPECT_EQ(debugger.add_breakpoint({0, 9}, "", true).line.line, 10) << "the next line with code";
    EXPECT_EQ(debugger.run().why, Why::breakpoint);
    EXPECT_TRUE(debugger.breakpoints().empty()) << "a temporary one goes";
    EXPECT_THROW((void)debugger.add_breakpoint({0, 99}, "", false), DebugError);
    EXPECT_THROW((void)debugger.add_breakpoint({0, 8}, "t ==", false), DebugError);
}

TEST(Stops, AWatchAndTheLastWriteFindWhoWrote) {
    WS_NEED_COMPILER();
    Sum one;
    debug::Debugger& debugger = one.debugger();
    debugger.set_stops_at_findings(false);
    ASSERT_EQ(debugger.run().why, Why::ended);
    debugger.set_focus({0, 0});
    (void)debugger.add_watch("part[32]");
    Stop stop = debugger.go_back();
    ASSERT_EQ(stop.why, Why::watch);
    EXPECT_EQ(debugger.focus(), (Focus{1, 0})) << "thread 32";
    EXPECT_EQ(stop.before, "32");
    EXPECT_EQ(stop.after, "128");
    EXPECT_EQ(one.value_of("part[32]"), "32") << "it is not written yet";
    EXPECT_EQ(debugger.step_instruction().why, Why::watch) << "it is written forwards, too";
    EXPECT_EQ(one.value_of("part[32]"), "128");
    (void)debugger.go_to(debugger.now() - 1);
    stop = debugger.go_back();
    ASSERT_EQ(stop.why, Why::watch);
    EXPECT_EQ(debugger.line_of(1).line, 4);
    EXPECT_EQ(debugger.go_back().why, Why::beginning);
    debugger.remove_all();
    ASSERT_EQ(debugger.go_on().why, Why::ended);
    debugger.set_focus({0, 0});
    ASSERT_TRUE(debugger.go_to_last_write("part[0]"));
    EXPECT_EQ(debugger.line_of(0).line, 8);
    EXPECT_EQ(one.value_of("apart"), "1");
    EXPECT_THROW((void)debugger.go_to_last_write("t"), DebugError) << "it lies in a register";
    (void)debugger.go_to(0);
    EXPECT_FALSE(debugger.go_to_last_write("part[0]"));
    // A register of a lane.
    (void)debugger.step_line(true);
    while (debugger.line_of(0).line < 6) (void)debugger.step_line(true);
    (void)debugger.step_line(true);
    (void)debugger.add_watch("apart");
    stop = debugger.go_on();
    ASSERT_EQ(stop.why, Why::watch);
    EXPECT_EQ(stop.before, "64");
    EXPECT_EQ(stop.after, "32");
}

TEST(Stops, StepsGoByLineIntoFunctionsAndOverThem) {
    WS_NEED_COMPILER();
    Debugged one(R"(__device__ __noinline__ int twice(int x) {
    int y = x + x;
    return y;
}
extern "C" __global__ void k(int* out) {
    int a = threadIdx.x;
    int b = twice(a);
    out[a] = b;
}
)",
                 "k", {1, 1, 1}, {40, 1, 1});
    one.buffer(std::vector<int>(40));
    debug::Debugger& debugger = one.debugger();
    const auto line = [&] { return debugger.line_of(0).line; };
    (void)debugger.step_line(false);
    EXPECT_EQ(line(), 6);
    (void)debugger.step_line(false);
    EXPECT_EQ(line(), 7);
    (void)debugger.step_line(false);
    EXPECT_EQ(line(), 1) << "its first line takes the parameter";
    (void)debugger.step_line(false);
    EXPECT_EQ(line(), 2);
    EXPECT_EQ(one.value_of("x"), "0");
    const debug::LaneView inner = debugger.view({0, 3});
    ASSERT_EQ(inner.stack().size(), 2u);
    EXPECT_EQ(inner.stack()[0].function, "twice");
    EXPECT_EQ(inner.stack()[1].function, "k");
    EXPECT_EQ(inner.stack()[1].source.line, 7);
    EXPECT_EQ(debugger.value_text(debugger.parse("a"), {0, 3}, 1), "3") << "of the caller";
    EXPECT_THROW((void)debugger.value_text(debugger.parse("a"), {0, 3}, 0), DebugError);
    EXPECT_EQ(debugger.finish().why, Why::moved);
    EXPECT_EQ(debugger.depth_of(0), 0);
    EXPECT_EQ(debugger.line_of(0).line, 7);
    EXPECT_EQ(debugger.step_line(true).why, Why::moved);
    EXPECT_EQ(debugger.line_of(0).line, 8);
    EXPECT_EQ(debugger.step_line_back(true).why, Why::moved) << "over the function";
    EXPECT_EQ(debugger.line_of(0).line, 7);
    EXPECT_THROW((void)debugger.finish(), DebugError);
    (void)debugger.step_line(false);
    EXPECT_EQ(debugger.finish_back().why, Why::moved);
    EXPECT_EQ(debugger.line_of(0).line, 7);
}

TEST(Stops, BackwardsLineByLine) {
    WS_NEED_COMPILER();
    Sum one;
    debug::Debugger& debugger = one.debugger();
    debugger.set_stops_at_findings(false);
    std::vector<std::pair<int, std::uint64_t>> forwards;
    for (int i = 0; i < 14; ++i) {
        ASSERT_EQ(debugger.step_line(false).why, Why::moved);
        forwards.emplace_back(debugger.line_of(0).line, one.hash());
    }
    for (std::size_t i = forwards.size() - 1; i-- > 0;) {
        ASSERT_EQ(debugger.step_line_back(false).why, Why::moved);
        EXPECT_EQ(debugger.line_of(0).line, forwards[i].first) << i;
    }
    const std::uint64_t here = debugger.now();
    (void)debugger.step_instruction();
    (void)debugger.step_instruction_back();
    EXPECT_EQ(debugger.now(), here);
}

TEST(Warps, FrozenOnesStayAndBarriersWaitForThem) {
    WS_NEED_COMPILER();
    Sum one;
    debug::Debugger& debugger = one.debugger();
    debugger.freeze({1, 2});
    EXPECT_EQ(debugger.run().why, Why::only_frozen);
    const auto state = [&](int warp) { return debugger.block().state().warps[std::size_t(warp)].state; };
    EXPECT_EQ(state(0), simt::WarpState::State::waiting);
    EXPECT_EQ(state(3), simt::WarpState::State::waiting);
    EXPECT_EQ(debugger.block().state().barriers.arrived(0), 2u);
    EXPECT_EQ(debugger.line_of(0).line, 5) << "a warp that waits is at its barrier";
    EXPECT_EQ(debugger.line_of(1).line, 1);
    const std::string warps = one.say({"info warps", "info barriers"});
    EXPECT_NE(warps.find("waits at barrier 0, 2 of 4 warps are there"), std::string::npos) << warps;
    EXPECT_NE(warps.find("still on their way: 1, 2"), std::string::npos) << warps;
    debugger.freeze({});
    debugger.set_stops_at_findings(false);
    EXPECT_EQ(debugger.go_on().why, Why::ended);
    // Another choice in the past is another future.
    (void)debugger.go_to(10);
    const std::uint64_t recorded = debugger.recorded();
    debugger.freeze({0});
    EXPECT_LT(debugger.recorded(), recorded);
    EXPECT_EQ(debugger.now(), 10u);
    EXPECT_EQ(debugger.go_on().why, Why::only_frozen);
}

TEST(Warps, DivergenceShowsWhoWaits) {
    WS_NEED_COMPILER();
    Debugged one(R"(extern "C" __global__ void k(int* out) {
    int v = 1;
    if (threadIdx.x % 4 == 0) {
        v = 2;
    } else {
        v = 3;
    }
    out[threadIdx.x] = v;
}
)",
                 "k", {1, 1, 1}, {64, 1, 1});
    one.buffer(std::vector<int>(64));
    debug::Debugger& debugger = one.debugger();
    (void)debugger.add_breakpoint({0, 4}, "", false);
    ASSERT_EQ(debugger.run().why, Why::breakpoint);
    EXPECT_TRUE(debug::is_active(debugger.block(), {0, 4}));
    EXPECT_FALSE(debug::is_active(debugger.block(), {0, 5}));
    const std::vector<simt::LanePlace> places = debugger.block().places(0);
    ASSERT_GE(places.size(), 2u);
    EXPECT_EQ(places[0].lanes, 0x11111111u);
    std::uint32_t others = 0;
    for (std::size_t i = 1; i < places.size(); ++i) others |= places[i].lanes;
    EXPECT_EQ(others, ~0x11111111u);
    EXPECT_EQ(debug::lanes_of_mask(places[0].lanes), "0,4..28");
    EXPECT_EQ(debug::lanes_of_mask(0xFFFF00F1u), "0,4-7,16-31");
    EXPECT_EQ(debug::lanes_of_mask(0x80000005u), "0,2,31");
    EXPECT_EQ(debug::lanes_of_mask(0x000003D5u), "0,2..6,7-9");
    const std::string lanes = one.say({"info lanes", "print/w v"});
    EXPECT_NE(lanes.find("inactive"), std::string::npos) << lanes;
    EXPECT_NE(lanes.find("   0:    1  (3)  (3)  (3)    1"), std::string::npos) << lanes;
}

TEST(Blocks, ThoseBeforeHaveRun) {
    WS_NEED_COMPILER();
    Debugged one(R"(extern "C" __global__ void k(int* count, int* out) {
    if (threadIdx.x == 0) out[blockIdx.x] = atomicAdd(count, 1);
}
)",
                 "k", {3, 2, 1}, {32, 1, 1});
    one.buffer(std::vector<int>(1)).buffer(std::vector<int>(6, -1));
    one.debugger().choose_block(4);
    EXPECT_EQ(one.at<int>(0, 0), 4);
    EXPECT_EQ(one.value_of("blockIdx.x"), "1");
    EXPECT_EQ(one.value_of("blockIdx.y"), "1");
    EXPECT_EQ(one.debugger().run().why, Why::ended);
    EXPECT_EQ(one.at<int>(0, 0), 5);
    (void)one.debugger().go_to(0);
    EXPECT_EQ(one.at<int>(0, 0), 4);
}

}  // namespace
}  // namespace ws
