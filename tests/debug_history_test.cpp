// The debugger's history: the same states forwards and backwards, in every lab and schedule.

#include <random>

#include "gpu/compile/kernel_library.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/labs.h"
#include "gpu/simt/plan_memory.h"
#include "tests/debug_sum.h"
#include "tests/lab_launches.h"

namespace ws {
namespace {

using namespace ws::testing;
using debug::Schedule;
using debug::Stop;
using Why = Stop::Why;

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

}  // namespace
}  // namespace ws
