// What the debugger shows after each stop: displays, windows, memory.

#include "gpu/debug/scene.h"
#include "tests/debug_sum.h"

namespace ws {
namespace {

using namespace ws::testing;
using Why = debug::Stop::Why;

TEST(Displays, SeveralExpressionsStayAndSayWhatHasChanged) {
    WS_NEED_COMPILER();
    Sum one;
    const std::string first =
        one.say({"set checks off", "break 8", "run", "display/w part[t]", "display/w apart", "display t"});
    EXPECT_EQ(first.find('*'), std::string::npos) << "there was no stop before: " << first;
    // Of warp 0: its own lanes add warp 2's, then warp 1's numbers.
    const std::string next = one.say({"continue"});
    EXPECT_NE(next.find("1: /w part[t]\n   0:   64*   66*   68*"), std::string::npos) << next;
    EXPECT_NE(next.find("2: /w apart\n   0:  32*  32*"), std::string::npos) << next;
    EXPECT_NE(next.find("3: t = 0\n"), std::string::npos) << next;
    EXPECT_EQ(one.say({"display"}).find("Breakpoint"), std::string::npos);
    EXPECT_NE(one.say({"display"}).find("64*"), std::string::npos) << "looking changes nothing";
    EXPECT_NE(one.say({"cuda warp 1"}).find("1: /w part[t]\n   0:  32  33"), std::string::npos)
        << "another warp has not gone on: " << one.say({"display"});
    const std::string table = one.say({"cuda warp 0 lane 0", "display/w"});
    EXPECT_NE(table.find("lane  thread      1: part[t]  2: apart\n"
                         "   0  (0, 0, 0)          64*       32*\n"),
              std::string::npos)
        << table;
    EXPECT_NE(table.find("  31  (31, 0, 0)        126*       32*\n"), std::string::npos) << table;
    // A stop further on it is another one before that counts, back as well as forward.
    const std::string third = one.say({"continue"});
    EXPECT_NE(third.find("2: /w apart\n   0:    16*    16*"), std::string::npos) << third;
    EXPECT_NE(third.find("(16)*"), std::string::npos) << "inactive, and changed: " << third;
    const std::string back = one.say({"reverse-continue"});
    EXPECT_NE(back.find("2: /w apart\n   0:  32*  32*"), std::string::npos) << back;
    // What is added twice is one; what is taken away is not shown again.
    one.say({"display/w apart"});
    EXPECT_EQ(one.say({"info display"}), "1   /w part[t]\n2   /w apart\n3   t\n");
    one.say({"undisplay 1 3", "display/wx t"});
    EXPECT_EQ(one.say({"info display"}), "2   /w apart\n4   /wx t\n");
    EXPECT_EQ(one.errors(), 0);
    one.say({"undisplay", "display/w"});
    EXPECT_EQ(one.errors(), 1) << "nothing is left for a table";
}

TEST(Displays, WindowsShowWhatStaysAndWhatWasAskedForLast) {
    WS_NEED_COMPILER();
    Sum one;
    debug::Debugger& debugger = one.debugger();
    debug::Displays displays;
    const auto shown = [&] {
        std::string text;
        for (const debug::Display* display : displays.in_lanes())
            text += fmt::format("{}:{} ", display->number, display->text);
        return fmt::format("{}, {}", text, displays.latest());
    };
    displays.ask(debugger, in_lanes(debugger, "threadIdx.x"));
    EXPECT_EQ(shown(), "0:threadIdx.x , 0");
    displays.add(debugger, in_lanes(debugger, "blockIdx.x"));
    EXPECT_EQ(shown(), "1:blockIdx.x 0:threadIdx.x , 1");
    displays.add(debugger, in_lanes(debugger, "threadIdx.x"));
    EXPECT_EQ(shown(), "1:blockIdx.x 2:threadIdx.x , 2") << "what was asked for stays";
    displays.ask(debugger, in_lanes(debugger, "blockIdx.x"));
    EXPECT_EQ(shown(), "1:blockIdx.x 2:threadIdx.x , 1") << "what stays is asked for";
    EXPECT_TRUE(displays.remove(2));
    EXPECT_FALSE(displays.remove(2));
    EXPECT_EQ(displays.asks(), 4);
}

TEST(Displays, ValuesOfACallerAreThoseOfItsFunction) {
    WS_NEED_COMPILER();
    Debugged one(R"(__device__ __noinline__ int twice(int x) {
    return x + x;
}
extern "C" __global__ void k(int* out) {
    const int mine = int(threadIdx.x);
    if (mine % 2 == 0)
        out[mine] = twice(mine);
    else
        out[mine] = mine;
}
)",
                 "k", {1, 1, 1}, {32, 1, 1});
    one.buffer(std::vector<int>(32));
    one.say({"break 2", "run"});
    EXPECT_NE(one.say({"up", "print/w mine"}).find("   0:     0   (1)     2   (3)"), std::string::npos)
        << one.say({"print/w mine"});
    EXPECT_EQ(one.errors(), 0);
    // Its warp: the lanes in the function, the same where they called, and the others.
    const std::string warps = one.say({"info warps"});
    EXPECT_NE(warps.find("0,2..30  test.cu:2   twice     ready"), std::string::npos) << warps;
    EXPECT_NE(warps.find("waits for the function that it called"), std::string::npos) << warps;
    EXPECT_NE(warps.find("inactive: waits where these lanes meet the others"), std::string::npos) << warps;
    const std::vector<debug::PathScene> paths = debug::paths_of(one.debugger(), 0);
    ASSERT_EQ(paths.size(), 3u);
    EXPECT_EQ(paths[0].lanes, 0x55555555u);
    EXPECT_EQ(paths[1].lanes, 0x55555555u);
    EXPECT_EQ(paths[1].function, "k");
    EXPECT_EQ(paths[1].waits, debug::PathScene::Waits::for_return);
    EXPECT_EQ(paths[2].lanes, 0xAAAAAAAAu);
    EXPECT_EQ(paths[2].waits, debug::PathScene::Waits::for_lanes);
}

TEST(Memory, IsLookedAtFromStopToStop) {
    WS_NEED_COMPILER();
    Sum one;
    debug::Debugger& debugger = one.debugger();
    debugger.set_stops_at_findings(false);
    (void)debugger.add_breakpoint({0, 8}, "", false);
    debug::MemoryWatch memory;
    ASSERT_EQ(debugger.run().why, Why::breakpoint);
    memory.stopped(debugger);
    const debug::MemoryCells first = memory.cells(debugger, 0);
    EXPECT_EQ(first.text, "part") << "the first array that the lane sees";
    EXPECT_TRUE(first.elements);
    ASSERT_EQ(first.cells.size(), 128u) << "no further than the array goes";
    EXPECT_EQ(first.cells[127], "127");
    EXPECT_EQ(std::count(first.changed.begin(), first.changed.end(), true), 0);
    ASSERT_EQ(debugger.go_on().why, Why::breakpoint);
    memory.stopped(debugger);
    const debug::MemoryCells next = memory.cells(debugger, 0);
    EXPECT_EQ(next.cells[1], "66") << "1 + 65";
    for (std::size_t i = 0; i < 128; ++i)
        EXPECT_EQ(next.changed[i], i < 32) << "warp 0 alone has added: " << i;
    memory.choose({4, 'x', 4, "in"});
    const debug::MemoryCells chosen = memory.cells(debugger, 0);
    EXPECT_EQ(chosen.cells[1], "0x3f800000");
    EXPECT_EQ(chosen.address, 0x700000000000u);
    memory.choose({4, 'x', 4, "nobody"});
    EXPECT_TRUE(memory.cells(debugger, 0).cells.empty());
    EXPECT_FALSE(memory.cells(debugger, 0).problem.empty());
}

}  // namespace
}  // namespace ws
