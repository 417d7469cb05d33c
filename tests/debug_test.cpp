// The debugger's core: the same states forwards and backwards, stops, focus, values.

#include <numeric>
#include <random>

#include "gpu/compile/kernel_library.h"
#include "gpu/debug/console_words.h"
#include "gpu/debug/scene.h"
#include "gpu/debug/value_text.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/labs.h"
#include "gpu/simt/plan_memory.h"
#include "tests/debug_support.h"
#include "tests/lab_launches.h"

namespace ws {
namespace {

using namespace ws::testing;
using debug::DebugError;
using debug::Focus;
using debug::Schedule;
using debug::Stop;
using Why = Stop::Why;

// A sum that lacks a barrier in its loop; lines are counted on below.
constexpr const char* kSum = R"(extern "C" __global__ void sum(const float* in, float* out) {
    __shared__ float part[128];
    const int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int apart = blockDim.x / 2; apart > 0; apart /= 2) {
        if (t < apart)
            part[t] += part[t + apart];
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}
)";

std::vector<float> ramp(std::size_t count) {
    std::vector<float> made(count);
    std::iota(made.begin(), made.end(), 0.0F);
    return made;
}

class Sum : public Debugged {
  public:
    explicit Sum(int blocks = 1) : Debugged(kSum, "sum", {blocks, 1, 1}, {128, 1, 1}) {
        buffer(ramp(std::size_t(128 * blocks))).buffer(std::vector<float>(std::size_t(blocks), -1.0F));
    }
};

// Walks a block forwards, noting each state; then goes to and fro, and looks whether they are the same.
template <typename Hash>
void expect_same_states(debug::History& history, const Hash& hash, std::uint64_t most,
                        const std::string& what) {
    std::vector<std::uint64_t> states{hash(history.block())};
    std::mt19937 random(7);
    while (!history.block().ended() && history.now() < most) {
        std::vector<int> ready;
        const auto& warps = history.block().state().warps;
        for (std::size_t i = 0; i < warps.size(); ++i) {
            if (warps[i].state == simt::WarpState::State::ready) ready.push_back(int(i));
        }
        ASSERT_FALSE(ready.empty()) << what;
        history.step(ready[random() % ready.size()]);
        states.push_back(hash(history.block()));
    }
    ASSERT_GT(states.size(), 20u) << what;
    for (std::uint64_t back = history.now(); back > 0 && back + 40 > states.size(); --back) {
        history.go_to(back - 1);
        ASSERT_EQ(hash(history.block()), states[back - 1]) << what << ", back to step " << back - 1;
    }
    for (int i = 0; i < 60; ++i) {
        const std::uint64_t step = random() % states.size();
        history.go_to(step);
        ASSERT_EQ(history.now(), step);
        ASSERT_EQ(hash(history.block()), states[step]) << what << ", step " << step;
    }
    history.go_to(states.size() - 1);
    ASSERT_EQ(hash(history.block()), states.back()) << what;
}

TEST(History, StatesAreTheSameForwardsAndBackwardsInEveryLab) {
    WS_NEED_COMPILER();
    const KernelLibrary library;
    const CodeTarget target = nearest_target(compiler()->architectures(), {8, 6});
    const GpuProfile gpu = GpuTable().named("RTX 3060");
    std::set<std::string> labs;
    for (const LabVersion& one : lab_versions()) {
        // Every sixth version, and at least one of each lab.
        if (!labs.insert(std::string(one.lab->id)).second && one.version->number % 6 != 5) continue;
        const auto compile = [&](CompileRequest request) -> std::shared_ptr<const CompiledKernel> {
            request.architecture = target.architecture;
            request.to_ptx = true;
            request.for_debugger = true;
            const auto made = compiler()->compile(request);
            if (!made.ok()) return nullptr;
            return std::make_shared<const CompiledKernel>(made.value());
        };
        const Plan plan = lab_plan(one, library, target, gpu.multiprocessors, compile);
        const Problem problem = lab_problem(*one.lab);
        const Launch& launch = plan.launches.front();
        const std::string name = one.name_of(launch);
        ASSERT_TRUE(launch.kernel) << name;
        const auto program = simt::load_program({launch.kernel->binary.data(), launch.kernel->binary.size()},
                                                launch.kernel->entry);
        ASSERT_TRUE(program.ok()) << name << ": " << program.message();
        struct Ground {
            simt::Gpu gpu;
            simt::PlanMemory memory;
        };
        std::shared_ptr<Ground> ground;
        simt::KernelLaunch staged;
        debug::History history([&] {
            ground = std::make_shared<Ground>(Ground{simt::Gpu(gpu), simt::PlanMemory(problem)});
            staged = ground->memory.stage(ground->gpu, program.value(), launch, 0xA5);
            debug::StartedBlock made;
            made.block = std::make_unique<simt::SteppedBlock>(ground->gpu, staged, simt::SteppedOptions{});
            made.keeps = ground;
            return made;
        });
        // Of the buffers the beginning of each: a state has megabytes of them.
        const auto hash = [&](const simt::SteppedBlock& block) {
            std::vector<std::span<std::byte>> none;
            StateHash all;
            all.add_value(state_hash(block, none));
            for (const auto& parameter : program.value()->parameters) {
                std::uint64_t address = 0;
                if (parameter.bytes != 8) continue;
                std::memcpy(&address, staged.parameters.data() + parameter.at, 8);
                const auto bytes = block.bytes_at(0, 0, address, 4096);
                all.add(bytes.data(), bytes.size());
            }
            return all.value();
        };
        expect_same_states(history, hash, 900, name);
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(labs.size(), 10u);
}

TEST(History, MemoryAtomicsAndLocalArraysComeBack) {
    WS_NEED_COMPILER();
    Debugged one(R"(__device__ int total;
extern "C" __global__ void k(int* bins, int* out) {
    int mine[4];
    for (int i = 0; i < 4; ++i) mine[i] = threadIdx.x * i;
    atomicAdd(&bins[threadIdx.x % 5], mine[threadIdx.x & 3]);
    atomicAdd(&total, 1);
    __syncthreads();
    int* more = (int*)malloc(8);
    more[0] = threadIdx.x;
    out[threadIdx.x] = total + more[0];
    free(more);
}
)",
                 "k", {1, 1, 1}, {72, 1, 1});  // the last warp has eight lanes
    one.buffer(std::vector<int>(5)).buffer(std::vector<int>(72, -1));
    debug::Debugger& debugger = one.debugger();
    std::vector<std::uint64_t> states{one.hash()};
    debugger.set_schedule(Schedule::round_robin, 0);
    while (!debugger.block().ended()) {
        (void)debugger.go_to(debugger.recorded());
        const std::uint64_t before = debugger.now();
        debugger.set_focus({int(before % 3), 0});
        const Stop stop = debugger.step_instruction();
        if (stop.why == Why::warp_ended && debugger.now() == before) {
            debugger.set_focus({int((before + 1) % 3), 0});
            if (debugger.step_instruction().why == Why::warp_ended && debugger.now() == before) {
                debugger.set_focus({int((before + 2) % 3), 0});
                (void)debugger.step_instruction();
            }
        }
        const std::uint64_t end = debugger.recorded();
        for (std::uint64_t step = before + 1; step <= end; ++step) {
            (void)debugger.go_to(step);
            states.push_back(one.hash());
        }
    }
    EXPECT_EQ(one.at<int>(1, 0), 72);
    for (std::uint64_t step = states.size(); step-- > 0;) {
        (void)debugger.go_to(step);
        ASSERT_EQ(one.hash(), states[step]) << step;
    }
    EXPECT_EQ(one.at<int>(1, 0), -1);
    EXPECT_EQ(one.at<int>(0, 0), 0);
}

TEST(History, AKernelWithoutMistakesComputesTheSameInEverySchedule) {
    WS_NEED_COMPILER();
    std::string text = kSum;
    text.replace(text.find("        if (t < apart)"), 0, "        __syncthreads();\n");
    for (const auto& [schedule, seed] : {std::pair{Schedule::in_order, 0},
                                         {Schedule::reverse, 0},
                                         {Schedule::round_robin, 0},
                                         {Schedule::random, 1},
                                         {Schedule::random, 2}}) {
        Debugged one(text, "sum", {1, 1, 1}, {128, 1, 1});
        one.buffer(ramp(128)).buffer(std::vector<float>(1, -1.0F));
        one.debugger().set_schedule(schedule, std::uint64_t(seed));
        const Stop stop = one.debugger().run();
        EXPECT_EQ(stop.why, Why::ended) << stop.text;
        EXPECT_EQ(one.at<float>(1, 0), 8128.0F) << debug::name_of(schedule);
    }
}

TEST(Schedules, AMissingBarrierShowsInSomeAndTheChecksFindIt) {
    WS_NEED_COMPILER();
    Sum one;
    const Stop found = one.debugger().run();
    ASSERT_EQ(found.why, Why::finding) << int(found.why);
    EXPECT_NE(found.text.find("line 8"), std::string::npos) << found.text;
    EXPECT_EQ(one.debugger().line_of(one.debugger().focus().warp).line, 8);
    one.debugger().set_stops_at_findings(false);
    EXPECT_EQ(one.debugger().go_on().why, Why::ended);
    EXPECT_EQ(one.at<float>(1, 0), 4560.0F) << "warp 0 runs ahead of warp 1";
    // All at the same pace: nobody runs ahead.
    Sum other;
    other.debugger().set_stops_at_findings(false);
    other.debugger().set_schedule(Schedule::round_robin, 0);
    EXPECT_EQ(other.debugger().run().why, Why::ended);
    EXPECT_EQ(other.at<float>(1, 0), 8128.0F);
}

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

constexpr const char* kTypes = R"(#define N 7
enum Kind { first, second = 5 };
struct Inner { short a; unsigned char b[3]; };
struct Outer { Inner inner; float4 f; Kind kind; unsigned low : 3, high : 5; double d; bool yes; Outer* next; };
__constant__ float weights[N] = {0.5f, 1, 2};
__device__ int counter = 9;
template <typename T> __device__ __forceinline__ T scaled(T value, T by) {
    T product = value * by;
    return product;
}
extern "C" __global__ void k(int* out, uchar4 pixel) {
    __shared__ int tile[4][N + 1];
    extern __shared__ float more[];
    Outer mine;
    mine.inner.a = -3;
    mine.inner.b[2] = 65;
    mine.f = make_float4(1, 2, 3, 4);
    mine.kind = second;
    mine.low = 6;
    mine.high = 17;
    mine.yes = true;
    mine.d = 0.125;
    mine.next = &mine;
    const int t = threadIdx.x;
    tile[t & 3][t & 7] = t;
    more[t] = 1.5f * t;
    unsigned long long big = 0xFFFFFFFFFFULL + t;
    float s = scaled(weights[1], 3.0f) + pixel.y;
    out[t] = mine.inner.b[1] + int(big) + int(s) + counter + tile[1][1] + int(more[2]);
    out[t] += mine.next->low;
}
)";

TEST(Values, AreThoseOfCpp) {
    WS_NEED_COMPILER();
    Debugged one(kTypes, "k", {1, 1, 1}, {32, 1, 1});
    one.buffer(std::vector<int>(32)).value(std::uint32_t(0x04030201)).shared(128);
    debug::Debugger& debugger = one.debugger();
    debugger.set_stops_at_findings(false);  // lanes write to one place of the tile
    (void)debugger.add_breakpoint({0, 30}, "t == 3", false);
    ASSERT_EQ(debugger.run().why, Why::breakpoint);
    struct Case {
        const char* expression;
        const char* text;
    };
    for (const Case& one_case : {Case{"mine.inner.a", "-3"},
                                 {"mine.inner.b[2]", "65 'A'"},
                                 {"mine.f", "{x = 1, y = 2, z = 3, w = 4}"},
                                 {"mine.f.z * 2", "6"},
                                 {"mine.kind", "second"},
                                 {"mine.kind == second", "true"},
                                 {"mine.low", "6"},
                                 {"mine.high", "17"},
                                 {"mine.yes", "true"},
                                 {"mine.d", "0.125"},
                                 {"mine.next->f.y", "2"},
                                 {"mine.next == &mine", "true"},
                                 {"(*mine.next).next->low", "6"},
                                 {"t", "3"},
                                 {"pixel.y", "2"},
                                 {"pixel", "{x = 1, y = 2, z = 3, w = 4}"},
                                 {"big", "1099511627778"},
                                 {"weights[1]", "1"},
                                 {"weights", "{0.5, 1, 2, 0, 0, 0, 0}"},
                                 {"counter", "9"},
                                 {"tile[3][7]", "31"},
                                 {"sizeof(tile)", "128"},
                                 {"sizeof(mine.f)", "16"},
                                 {"more[2]", "3"},
                                 {"more[4]@2", "{6, 7.5}"},
                                 {"*more@3", "{0, 1.5, 3}"},
                                 {"N", "7"},
                                 {"N + 1 << 2", "32"},
                                 {"threadIdx.x", "3"},
                                 {"blockDim.x * gridDim.x", "32"},
                                 {"%tid.x", "3"},
                                 {"$lane + $warp", "3"},
                                 {"warpSize", "32"},
                                 {"t > 2 ? 10 : 1 / 0", "10"},
                                 {"t && 0 || !0", "true"},
                                 {"-7 / 2", "-3"},
                                 {"-7 % 4", "-3"},
                                 {"-1 > 1u", "true"},
                                 {"(unsigned char)300", "44 ','"},
                                 {"(float)1 / 3", "0.33333334"},
                                 {"1.0 / 4", "0.25"},
                                 {"(int)2.75", "2"},
                                 {"~0", "-1"},
                                 {"0x80000000 >> 31", "1"},
                                 {"'a' + 1", "98"},
                                 {"*(float*)&more[2]", "3"},
                                 {"&more[3] - &more[1]", "2"},
                                 {"1e3f", "1000"}})
        EXPECT_EQ(one.value_of(one_case.expression), one_case.text) << one_case.expression;
    for (const char* wrong : {"nobody",     "t +",         "(t",      "t)",       "1 / 0",
                              "1 % 0",      "t.x",         "*t",      "mine + 1", "mine.nothing",
                              "t = 4",      "1 << 40",     "&t",      "part[",    "",
                              "'ab'",       "0x",          "12ab",    "@",        "more[1000000]",
                              "more@0",     "1 2",         "%r99999", "a::b",     "!",
                              "mine.f.x.y", "*(float*)16", "[1]",     "t->x",     "~1.5",
                              "(float4)t",  "sizeof",      "sizeof(", "?",        "1 ? 2"})
        EXPECT_THROW((void)one.value_of(wrong), DebugError) << wrong;
    // In a function that is inlined.
    (void)debugger.add_breakpoint({0, 9}, "", false);
    ASSERT_EQ(debugger.go_back().why, Why::breakpoint);
    EXPECT_EQ(one.value_of("product"), "3");
    EXPECT_EQ(debugger.view(debugger.focus()).stack().size(), 2u);
    EXPECT_EQ(debugger.value_text(debugger.parse("t"), {0, 3}, 1), "3");
}

TEST(Values, MutatedExpressionsHaveAValueOrAnError) {
    WS_NEED_COMPILER();
    Debugged one(kTypes, "k", {1, 1, 1}, {32, 1, 1});
    one.buffer(std::vector<int>(32)).value(std::uint32_t(1)).shared(128);
    one.debugger().set_stops_at_findings(false);
    (void)one.debugger().add_breakpoint({0, 30}, "", false);
    ASSERT_EQ(one.debugger().run().why, Why::breakpoint);
    const std::vector<std::string> parts{"mine",
                                         ".",
                                         "->",
                                         "next",
                                         "[",
                                         "]",
                                         "(",
                                         ")",
                                         "float",
                                         "*",
                                         "&",
                                         "t",
                                         "1",
                                         "0x7fffffffffffffff",
                                         "/",
                                         "%",
                                         "%r1",
                                         "@",
                                         "more",
                                         "-",
                                         "<<",
                                         "?",
                                         ":",
                                         "1.5f",
                                         "weights",
                                         "big",
                                         "sizeof",
                                         "!",
                                         "==",
                                         "(int)",
                                         "(unsigned char*)",
                                         "'a'",
                                         "inner",
                                         "b",
                                         " ",
                                         "$warp",
                                         "e5",
                                         "::"};
    std::mt19937 random(11);
    int fine = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string text;
        for (std::size_t count = 1 + random() % 9; count > 0; --count) text += parts[random() % parts.size()];
        try {
            (void)one.value_of(text);
            ++fine;
        } catch (const DebugError&) {
        }
    }
    EXPECT_GT(fine, 200);
    EXPECT_THROW((void)one.value_of(std::string(500, '(')), DebugError);
    EXPECT_THROW((void)one.value_of(std::string(1000, '-') + "1"), DebugError);
    EXPECT_THROW((void)one.value_of(std::string(100'000, '1')), DebugError);
    std::string deep = "mine";
    for (int i = 0; i < 200; ++i) deep += ".next";
    EXPECT_THROW((void)one.value_of(deep), DebugError);
}

TEST(Values, OfOptimisedCodeAreRegisters) {
    WS_NEED_COMPILER();
    Debugged one(kSum, "sum", {1, 1, 1}, {128, 1, 1}, true);
    one.buffer(ramp(128)).buffer(std::vector<float>(1));
    debug::Debugger& debugger = one.debugger();
    EXPECT_FALSE(debugger.text().knows_variables());
    (void)debugger.add_breakpoint({0, 8}, "threadIdx.x == 3", false);
    ASSERT_EQ(debugger.run().why, Why::breakpoint);
    EXPECT_EQ(one.value_of("part[3]"), "3") << "the declaration says what the shared array is";
    EXPECT_EQ(one.value_of("%tid.x"), "3");
    EXPECT_THROW((void)one.value_of("t"), DebugError);
    EXPECT_NE(one.say({"info registers"}).find("%r1"), std::string::npos);
}

TEST(Session, CommandsAnswerAndNothingIsLost) {
    WS_NEED_COMPILER();
    Sum one(2);
    const std::string text = one.say({"set checks off",
                                      "break 8 if t == 40 && apart == 64",
                                      "run",
                                      "print t + 2",
                                      "p/x t",
                                      "p/w t",
                                      "x/4fw &part[40]",
                                      "x/2i",
                                      "info locals",
                                      "info args",
                                      "bt",
                                      "info breakpoints",
                                      "info line",
                                      "list 3",
                                      "info registers r1",
                                      "display/w part[t]",
                                      "next",
                                      "undisplay 1",
                                      "info display",
                                      "cuda thread 3",
                                      "cuda warp 1 lane 2",
                                      "info history",
                                      "help",
                                      "help step",
                                      "info findings"});
    EXPECT_EQ(one.errors(), 0) << text;
    for (const char* part :
         {"Breakpoint 1 at test.cu:8",
          "Breakpoint 1, sum () at test.cu:8, block (0, 0, 0), thread (40, 0, 0), warp 1, lane 8",
          "8\t            part[t] += part[t + apart];", "t + 2 = 42", "t = 0x28",
          "   8:", "0x1000000000000a0:\t40\t41\t42\t43", "=> ", "apart = 64", "in = 0x70",
          "*#0  sum () at test.cu:8", "hit 1 time", "reverse-continue (rc)",
          "There are no auto-display expressions now.", "thread (34, 0, 0)"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    int errors = one.errors();
    for (const char* wrong : {"frobnicate",
                              "re",
                              "break nowhere",
                              "break 8 if",
                              "print",
                              "print nobody",
                              "print/q t",
                              "x",
                              "x/9999999w part",
                              "x/2i 5",
                              "goto",
                              "goto 99999999",
                              "goto -1",
                              "delete 77",
                              "info",
                              "info nothing",
                              "cuda block 9",
                              "cuda thread 500",
                              "cuda warp 44",
                              "cuda lane 32",
                              "cuda 3",
                              "cuda blob 1",
                              "freeze",
                              "freeze 9",
                              "set",
                              "set schedule maybe",
                              "set checks",
                              "step 0",
                              "step x",
                              "run now",
                              "watch",
                              "watch nobody",
                              "last-write t",
                              "up",
                              "down",
                              "finish",
                              "undisplay 4",
                              "list 999",
                              "info registers r77",
                              "x *(int*)4",
                              "quit now",
                              "break :3",
                              "display nobody(",
                              "help nothing",
                              "tbreak test.cu:0"}) {
        const std::string answer = one.say({wrong});
        EXPECT_EQ(one.errors(), ++errors) << wrong << ": " << answer;
        EXPECT_FALSE(answer.empty()) << wrong;
        errors = one.errors();
    }
    EXPECT_EQ(one.value_of("t"), "34") << "the focus is where it was";
    const std::string other = one.say({"cuda block (1)", "run"});
    EXPECT_NE(other.find("[Block (1, 0, 0) begins; the 1 before it has run.]"), std::string::npos) << other;
    EXPECT_NE(other.find("block (1, 0, 0), thread (40, 0, 0)"), std::string::npos) << other;
    EXPECT_NE(one.say({"delete", "step", "", "3", "rs", "quit"}).find("Undefined command: \"3\""),
              std::string::npos);
}

TEST(Session, AnyWordsAreAnswered) {
    WS_NEED_COMPILER();
    Sum one;
    const std::vector<std::string> words{
        "break",  "8",       "if",        "t",      "==",   "3",        "run",  "step",
        "next",   "print",   "/w",        "/x",     "part", "[t]",      "info", "warps",
        "lanes",  "goto",    "12",        "rc",     "rs",   "rn",       "rsi",  "continue",
        "cuda",   "thread",  "(3)",       "freeze", "1",    "thaw",     "set",  "schedule",
        "random", "watch",   "delete",    "x",      "/4xw", "&part[0]", "list", "up",
        "finish", "display", "undisplay", "checks", "off",  "lw",       "#",    ""};
    std::mt19937 random(5);
    for (int i = 0; i < 1500; ++i) {
        std::string line;
        for (std::size_t count = random() % 5; count > 0; --count)
            line += words[random() % words.size()] + (random() % 4 ? " " : "");
        (void)one.say({line});
    }
    (void)one.say({"thaw", "delete", "set checks off", "set schedule in-order", "run"});
    EXPECT_TRUE(one.debugger().block().ended());
    EXPECT_EQ(one.at<float>(1, 0), 4560.0F);
}

TEST(Session, AnEndlessLoopIsInterrupted) {
    WS_NEED_COMPILER();
    Debugged one(R"(extern "C" __global__ void k(volatile int* flag) {
    while (*flag == 0) {
    }
}
)",
                 "k", {1, 1, 1}, {32, 1, 1});
    one.buffer(std::vector<int>(1));
    one.interrupt() = true;
    EXPECT_EQ(one.debugger().run().why, Why::interrupted);
    EXPECT_FALSE(one.interrupt());
    // And one that can never go on.
    Debugged other(R"(extern "C" __global__ void k(int* out) {
    if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");
    else asm volatile("bar.sync 2, 64;");
    out[0] = 1;
}
)",
                   "k", {1, 1, 1}, {64, 1, 1});
    other.buffer(std::vector<int>(1));
    const Stop stop = other.debugger().run();
    EXPECT_EQ(stop.why, Why::failed);
    EXPECT_NE(stop.text.find("deadlock"), std::string::npos) << stop.text;
    EXPECT_EQ(other.debugger().step_line_back(false).why, Why::moved) << "back it goes";
}

// ---- what is shown after each stop

debug::Display in_lanes(debug::Debugger& debugger, const std::string& text) {
    return {0, text, debugger.parse(text), true, 0};
}

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

// ---- scenes: where it stands, as values

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

TEST(Commands, AreSeparatedBySemicolons) {
    EXPECT_EQ(debug::commands_in(" break 14;run ;; print part[0]"),
              (std::vector<std::string>{"break 14", "run", "print part[0]"}));
    EXPECT_TRUE(debug::commands_in(" ; ").empty());
}

}  // namespace
}  // namespace ws
