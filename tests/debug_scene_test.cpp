// Where a block stands, as values that the page Debugger draws.

#include "gpu/debug/scene.h"
#include "tests/debug_sum.h"

namespace ws {
namespace {

using namespace ws::testing;
using Why = debug::Stop::Why;

TEST(DebugScene, SaysWhereWarpsStandAndWhatLanesHave) {
    Sum sum;
    debug::Debugger& debugger = sum.debugger();
    debugger.set_stops_at_findings(false);
    (void)debugger.add_breakpoint({0, 8}, "apart == 4", false);
    EXPECT_EQ(debugger.go_on().why, Why::breakpoint);
    debug::Displays displays;
    debug::MemoryWatch memory;
    EXPECT_EQ(debug::scene_of(debugger, displays, memory).watched.front().text, "threadIdx.x");
    displays.ask(debugger, in_lanes(debugger, "part[t + apart]"));
    const debug::Scene scene = debug::scene_of(debugger, displays, memory);
    EXPECT_EQ(scene.at.line, 8);
    EXPECT_EQ(scene.function, "sum");
    EXPECT_EQ(scene.step, debugger.now());
    ASSERT_EQ(scene.warps.size(), 4u);
    EXPECT_EQ(scene.warps[0].active, 0xFu) << "lanes 0 to 3 add";
    EXPECT_EQ(scene.warps[0].inactive, ~0xFu);
    for (int warp = 1; warp < 4; ++warp)
        EXPECT_EQ(scene.warps[std::size_t(warp)].state, debug::WarpScene::State::ready);
    ASSERT_EQ(scene.watched.size(), 1u);
    EXPECT_EQ(scene.watched[0].values.values[1], sum.value_of("part[5]"));
    EXPECT_TRUE(scene.watched[0].values.problem.empty());
    const auto named = [&](const char* name) {
        const auto found = std::find_if(scene.variables.begin(), scene.variables.end(),
                                        [&](const debug::ValueScene& one) { return one.name == name; });
        return found == scene.variables.end() ? std::string("not there") : found->value;
    };
    EXPECT_EQ(named("apart"), "4");
    EXPECT_EQ(named("t"), "0");
    ASSERT_EQ(scene.breakpoints.size(), 1u);
    EXPECT_TRUE(scene.breakpoints[0].conditional);
    displays.ask(debugger, in_lanes(debugger, "nobody + 1"));
    EXPECT_FALSE(debug::scene_of(debugger, displays, memory).watched[0].values.problem.empty());
    const std::vector<int> lines = debug::lines_with_code(debugger);
    EXPECT_TRUE(std::binary_search(lines.begin(), lines.end(), 8));
    EXPECT_FALSE(std::binary_search(lines.begin(), lines.end(), 9)) << "a brace";
}

TEST(DebugScene, HasTheNextInstructionWithItsRegisters) {
    WS_NEED_COMPILER();
    Sum sum;
    debug::Debugger& debugger = sum.debugger();
    (void)debugger.add_breakpoint({0, 8}, "", false);
    ASSERT_EQ(debugger.run().why, Why::breakpoint);
    int with = 0;
    for (int i = 0; i < 12; ++i) {
        (void)debugger.step_instruction();
        const debug::Scene scene = debug::scene_of(debugger, {}, {});
        EXPECT_FALSE(scene.instruction.empty());
        for (const std::string& name : scene.its_registers) {
            EXPECT_NE(scene.instruction.find(name), std::string::npos);
            const auto known = [&](const debug::ValueScene& one) {
                return one.name == name && !one.value.empty();
            };
            EXPECT_TRUE(std::any_of(scene.registers.begin(), scene.registers.end(), known)) << name;
        }
        with += scene.its_registers.empty() ? 0 : 1;
    }
    EXPECT_GT(with, 6);
    const debug::Scene scene = debug::scene_of(debugger, {}, {});
    std::vector<std::string> names;
    for (const debug::ValueScene& one : scene.registers) names.push_back(one.name);
    const auto place = [&](const char* name) {
        return std::find(names.begin(), names.end(), name) - names.begin();
    };
    EXPECT_LT(place("%r2"), place("%r10")) << "by number";
}

TEST(DebugScene, SaysWhoWaitsAtABarrier) {
    Sum sum;
    debug::Debugger& debugger = sum.debugger();
    debugger.set_stops_at_findings(false);
    // Warp 0 goes first, and waits at the barrier of line 5 while warp 1 begins.
    debugger.set_focus({1, 0});
    (void)debugger.add_breakpoint({0, 4}, "$warp == 1", false);
    EXPECT_EQ(debugger.go_on().why, Why::breakpoint);
    debug::Scene scene = debug::scene_of(debugger, {}, {});
    EXPECT_EQ(scene.warps[0].state, debug::WarpScene::State::barrier);
    EXPECT_EQ(scene.warps[0].arrived, 1);
    EXPECT_EQ(scene.warps[0].expected, 4);
    debugger.remove_all();
    debugger.freeze({2});
    scene = debug::scene_of(debugger, {}, {});
    EXPECT_TRUE(scene.warps[2].frozen);
    debugger.freeze({});
    EXPECT_EQ(debugger.go_on().why, Why::ended);
    scene = debug::scene_of(debugger, {}, {});
    EXPECT_TRUE(scene.ended);
    for (const debug::WarpScene& warp : scene.warps) EXPECT_EQ(warp.state, debug::WarpScene::State::ended);
}

}  // namespace
}  // namespace ws
