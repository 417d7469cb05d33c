// The service that counts kernels beside the frames: each result under its key, what nobody wants any more
// given up.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "filter_problems.h"
#include "gpu/analysis/profiles.h"
#include "gpu/core/background.h"
#include "gpu/core/result_key.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/counter_service.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/filters/filters.h"
#include "waiting.h"

namespace ws {
namespace {

using testing::picture_of;
using testing::problem_of;
using testing::soon;

// Kernels of PTX as text, so that no compiler is needed. Each thread counts to `turns`, then writes a byte.
std::shared_ptr<const CompiledKernel> loop_kernel(const std::string& turns) {
    const std::string ptx =
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry gray(.param .u64 src, .param .u64 dst, .param .u32 width, .param .u32 height)\n{\n"
        ".reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<3>;\n"
        "ld.param.u64 %rd1, [dst];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, 0;\n"
        "LOOP:\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, " +
        turns + ";\n@%p1 bra LOOP;\nst.global.u8 [%rd2], %r1;\nret;\n}\n";
    CompiledKernel kernel;
    kernel.source_name = "loop" + turns;
    kernel.entry = "gray";
    kernel.binary.assign(ptx.begin(), ptx.end());
    kernel.binary.push_back('\0');
    kernel.is_ptx = true;
    return std::make_shared<const CompiledKernel>(std::move(kernel));
}

CountJob job_of(std::shared_ptr<const CompiledKernel> kernel, const Picture& picture, int text) {
    CountJob job;
    job.problem = problem_of(picture);
    job.launch.step = filters::step::gray;
    job.launch.arguments = arguments_of(first_work(filters::lab()), filters::step::gray);
    job.launch.kernel = std::move(kernel);
    job.launch.block = {32, 8};
    job.launch.tile = {32, 8};
    job.launch.grid = grid_for(picture->size, job.launch.tile);
    job.key.launch = launch_key(job.launch, {});
    job.key.launch.kernel.text = std::uint64_t(text);
    job.key.lab = filters::lab().id;
    job.key.input = input_key(job.problem);
    job.key.gpu = GpuTable().named("RTX 3060");
    return job;
}

// Several threads stage launches of two pictures: each reads what another filter made of its own.
TEST(LaunchStager, WhatIsPreparedIsMadeOnceAndOfTheRightPicture) {
    const Picture pictures[] = {picture_of({64, 48}, 1), picture_of({96, 33}, 2)};
    PreparedBuffers prepared;
    const auto find = [&](const Picture& picture) {
        const Problem problem = problem_of(picture);
        return prepared.find(input_key(problem), problem, filters::buffer::gray);
    };
    for (const Picture& picture : pictures) {
        const auto gray = find(picture);
        EXPECT_EQ(find(picture), gray) << "made once";
        const HostBytes wanted = reference_result(problem_of(picture), filters::buffer::gray);
        ASSERT_EQ(gray->size(), wanted.size());
        EXPECT_TRUE(std::equal(wanted.data(), wanted.data() + wanted.size(), gray->data()));
    }
    std::atomic<int> wrong{0};
    run_on_threads(4, [&](int thread) {
        const Picture& picture = pictures[thread % 2];
        const auto bytes = std::size_t(picture->size.pixels());
        for (int i = 0; i < 200; ++i) wrong += find(picture)->size() < bytes;
    });
    EXPECT_EQ(wrong, 0);
}

TEST(CounterService, GivesEachResultUnderItsKey) {
    CounterService service;
    const Picture picture = picture_of({64, 32});
    const CountJob first = job_of(loop_kernel("3"), picture, 1);
    const CountJob second = job_of(loop_kernel("5"), picture, 2);
    service.ask({first, second});
    service.wait();
    EXPECT_TRUE(service.busy()) << "the outcomes are not fetched yet";
    const auto ready = service.poll();
    ASSERT_EQ(ready.size(), 2u);
    EXPECT_FALSE(service.busy());
    EXPECT_TRUE(ready[0].first == first.key);
    EXPECT_TRUE(ready[1].first == second.key);
    // 64 warps; before, in and after the loop.
    const auto instructions = [](const auto& entry) { return entry.second.counters->total.instructions; };
    ASSERT_TRUE(ready[0].second.counters && ready[1].second.counters);
    EXPECT_EQ(instructions(ready[1]) - instructions(ready[0]), 64u * 2 * 3) << "two turns of three more";
    EXPECT_TRUE(service.poll().empty()) << "each once";
}

TEST(CounterService, GivesUpWhatNobodyWantsAnyMore) {
    CounterService service;
    const Picture picture = picture_of({640, 480});
    // Some 100 blocks of 2 million steps each, so that the limit of steps does not end them.
    const CountJob slow = job_of(loop_kernel("100000"), picture, 1);
    const CountJob quick = job_of(loop_kernel("3"), picture, 2);
    service.ask({slow});
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    service.ask({quick});
    service.wait();
    const auto ready = service.poll();
    ASSERT_EQ(ready.size(), 1u) << "what was given up has no outcome";
    EXPECT_TRUE(ready[0].first == quick.key);
}

TEST(CounterService, WhatIsWantedDoesNotWaitForOthers) {
    CounterService service;
    const Picture picture = picture_of({640, 480});
    const CountJob slow = job_of(loop_kernel("100000"), picture, 1);
    const CountJob quick = job_of(loop_kernel("3"), picture, 2);
    service.ask({}, {slow});
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    std::vector<std::pair<CountKey, CountOutcome>> ready;
    ASSERT_TRUE(soon([&] {
        service.ask({quick}, {slow});
        ready = service.poll();
        return !ready.empty();
    }));
    EXPECT_TRUE(ready[0].first == quick.key) << "although the other one was begun before";
    EXPECT_TRUE(service.busy()) << "it goes on";
    service.ask({});
}

TEST(CounterService, GoesOnWithWhatIsAskedForAgain) {
    CounterService service;
    const Picture picture = picture_of({640, 480});
    // Longer than a few frames; under a sanitizer, too, a block ends before its limit by the clock.
    const CountJob slow = job_of(loop_kernel("600"), picture, 1);
    service.ask({slow});
    std::vector<std::pair<CountKey, CountOutcome>> ready;
    ASSERT_TRUE(soon([&] {
        service.ask({slow});  // as every frame may
        ready = service.poll();
        return !ready.empty();
    })) << "asking again must not begin anew";
    EXPECT_TRUE(ready[0].second.counters);
}

TEST(CounterService, OutlivesWhateverFails) {
    CounterService service;
    const Picture picture = picture_of({64, 32});
    CompiledKernel broken = *loop_kernel("3");
    broken.binary = {'?', '\0'};
    // A picture whose size no vector can have; a merely huge one would end a program under the sanitizers.
    RgbaImage empty;
    empty.size = {-1, 1};
    CountJob huge = job_of(loop_kernel("3"), picture, 3);
    huge.problem = problem_of(std::make_shared<const RgbaImage>(std::move(empty)));
    service.ask({job_of(std::make_shared<const CompiledKernel>(broken), picture, 1),
                 job_of(loop_kernel("2000000000"), picture, 2), huge, job_of(loop_kernel("3"), picture, 4)});
    service.wait();
    const auto ready = service.poll();
    ASSERT_EQ(ready.size(), 4u);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_FALSE(ready[i].second.counters) << i;
        EXPECT_NE(ready[i].second.problem, "") << i;
    }
    EXPECT_TRUE(ready[3].second.counters) << ready[3].second.problem;
}

}  // namespace
}  // namespace ws
