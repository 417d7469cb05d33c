// What a worker thread throws ends as a message, whatever it is.

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <numeric>
#include <thread>

#include "gpu/core/background.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "gpu/core/hand_over.h"
#include "gpu/core/thread_pool.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/batch.h"
#include "gpu/picture/picture_file.h"
#include "tests/thrown_faults.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

TEST(Processors, AreThoseThatTheThreadMayRunOn) {
    int before = 0;
    int pinned = 0;
    int of_a_child = 0;
    std::thread([&] {
        before = processors();
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(sched_getcpu(), &one);
        ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
        pinned = processors();
        std::thread([&] { of_a_child = processors(); }).join();
    }).join();
    EXPECT_GE(before, 1);
    EXPECT_LE(before, int(std::thread::hardware_concurrency()));
    EXPECT_EQ(pinned, 1);
    EXPECT_EQ(of_a_child, 1);
    EXPECT_EQ(processors(), before) << "the others' are as they were";
}

TEST(CaughtMessage, NamesWhatWasThrown) {
    for (const testing::ThrownFault& fault : testing::thrown_faults()) {
        try {
            fault.raise();
            FAIL();
        } catch (...) {
            EXPECT_EQ(caught_message(), fault.message);
        }
    }
}

TEST(ProcessorSeconds, AreThoseOfTheThreadAndStandWhileItSleeps) {
#ifndef __linux__
    GTEST_SKIP() << "the time that goes by";
#endif
    const double before = processor_seconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_LT(processor_seconds() - before, 0.1);
    std::atomic<bool> end{false};
    std::thread other([&] {
        while (!end) {
        }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_LT(processor_seconds() - before, 0.1) << "of another thread";
    end = true;
    other.join();
    const auto longest = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (processor_seconds() - before < 0.2 && std::chrono::steady_clock::now() < longest) {
    }
    EXPECT_GE(processor_seconds() - before, 0.2);
}

TEST(RunOnThreads, RethrowsOnceAllHaveEnded) {
    for (const testing::ThrownFault& fault : testing::thrown_faults()) {
        for (const int bad : {0, 3}) {
            std::atomic<int> ended{0};
            try {
                run_on_threads(4, [&](int thread) {
                    if (thread == bad) fault.raise();
                    ++ended;
                });
                FAIL() << fault.message;
            } catch (...) {
                EXPECT_EQ(caught_message(), fault.message);
            }
            EXPECT_EQ(ended, 3);
        }
    }
    int calls = 0;
    run_on_threads(0, [&](int) { ++calls; });
    EXPECT_EQ(calls, 1) << "this thread always works";
}

// All have begun before any ends, or this waits for ever.
TEST(RunSideBySide, EveryCallHasAThreadOfItsOwn) {
    for (const int threads : {0, 1, 2, 7}) {
        std::array<HandOver, 8> there;
        std::atomic<int> ended{0};
        run_side_by_side(threads, [&](int thread) {
            there.at(std::size_t(thread)).give();
            for (int other = 0; other < threads; ++other) EXPECT_TRUE(there.at(std::size_t(other)).taken());
            ++ended;
        });
        EXPECT_EQ(ended, std::max(1, threads));
    }
    for (const testing::ThrownFault& fault : testing::thrown_faults()) {
        try {
            run_side_by_side(3, [&](int thread) {
                if (thread == 2) fault.raise();
            });
            FAIL() << fault.message;
        } catch (...) {
            EXPECT_EQ(caught_message(), fault.message);
        }
    }
}

// Early and late, awake and asleep; what was done before is seen.
TEST(HandOver, IsWaitedForUntilItIsGivenOrAbandoned) {
    HandOver over;
    for (const int late_ms : {0, 1, 30}) {
        for (const bool given : {true, false}) {
            over.reset();
            int done = 0;
            run_side_by_side(2, [&](int thread) {
                if (thread == 0) {
                    EXPECT_EQ(over.taken(), given);
                    EXPECT_EQ(done, 1);
                    return;
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(late_ms));
                done = 1;
                if (given)
                    over.give();
                else
                    over.abandon();
            });
            EXPECT_EQ(over.taken(), given) << "once more";
        }
    }
}

TEST(ThreadPoolFaults, ASliceThatThrowsIsRethrownAndThePoolGoesOn) {
    ThreadPool pool(3);
    for (const testing::ThrownFault& fault : testing::thrown_faults()) {
        try {
            pool.for_slices(1000, [&](int first, int) {
                if (first > 0) fault.raise();
            });
            FAIL() << fault.message;
        } catch (...) {
            EXPECT_EQ(caught_message(), fault.message);
        }
        std::atomic<int> rows{0};
        pool.for_slices(1000, [&](int first, int last) { rows += last - first; });
        EXPECT_EQ(rows, 1000);
    }
}

// A device whose lanes throw for some pictures.
class FaultyDevice final : public Device {
  public:
    explicit FaultyDevice(std::function<void()> raise) : raise_(std::move(raise)) {}
    [[nodiscard]] const DeviceFacts& facts() const override { return facts_; }
    void set_problem(Problem) override {}
    [[nodiscard]] FrameResult run(const Plan&, FrameTarget&) override { return {}; }
    [[nodiscard]] Result<std::vector<HostBytes>> run_once(const Plan&, std::uint8_t,
                                                          const std::vector<int>&) override {
        return Result<std::vector<HostBytes>>::failure("none");
    }
    [[nodiscard]] int lanes() const { return lanes_; }
    [[nodiscard]] int last_shown() const { return last_shown_; }
    [[nodiscard]] std::unique_ptr<PictureLane> make_lane(const Plan& plan) override {
        ++lanes_;
        last_shown_ = plan.shows;
        return std::make_unique<Lane>(raise_);
    }

  private:
    struct Lane final : PictureLane {
        explicit Lane(const std::function<void()>& to_raise) : raise(to_raise) {}
        [[nodiscard]] Result<GrayImage> run(const Picture& picture) override {
            if (picture->size.width == 2) raise();
            return GrayImage(picture->size);
        }
        const std::function<void()>& raise;
    };
    std::function<void()> raise_;
    DeviceFacts facts_;
    int lanes_ = 0;
    int last_shown_ = -1;
};

class Batches : public ::testing::Test {
  protected:
    Batches() : folder_(fs::temp_directory_path() / ("warpscope_workers_" + std::to_string(::getpid()))) {
        for (int i = 0; i < 12; ++i) {
            const fs::path path = folder_ / (std::to_string(i) + ".pgm");
            write_pgm(path, GrayImage({i % 3 == 0 ? 2 : 3, 1}));
            items_.push_back({path, {}});
        }
    }
    ~Batches() override { fs::remove_all(folder_); }
    fs::path folder_;
    std::vector<BatchItem> items_;
};

// More pictures fail than there are lanes: each lane must come back.
TEST_F(Batches, ALaneThatThrowsSkipsThePictureAlone) {
    for (const testing::ThrownFault& fault : testing::thrown_faults()) {
        FaultyDevice device(fault.raise);
        const BatchResult result =
            run_batch({{device, Plan{}}}, items_, 2, [](const BatchResult&, const std::string&) {});
        EXPECT_EQ(result.done, 8);
        ASSERT_EQ(result.problems.size(), 4u);
        for (const std::string& problem : result.problems)
            EXPECT_NE(problem.find(fault.message), std::string::npos) << problem;
    }
}

// Each device has the plan of its own kernels.
TEST_F(Batches, SpreadOverAllDevices) {
    constexpr int kDevices = 3;
    std::vector<std::unique_ptr<FaultyDevice>> all;
    std::vector<BatchDevice> devices;
    for (int i = 0; i < kDevices; ++i) {
        all.push_back(std::make_unique<FaultyDevice>([] {}));
        Plan plan;
        plan.shows = i;
        devices.push_back({*all.back(), plan});
    }
    for (const int workers : {1, 2, 5, 40}) {
        const BatchResult result =
            run_batch(devices, items_, workers, [](const BatchResult&, const std::string&) {});
        EXPECT_EQ(result.done, 12);
        ASSERT_EQ(result.done_by.size(), std::size_t(kDevices));
        EXPECT_EQ(std::accumulate(result.done_by.begin(), result.done_by.end(), 0), 12);
        if (workers == 1) {
            EXPECT_EQ(result.done_by, (std::vector<int>{4, 4, 4})) << "in turn";
        }
    }
    for (int i = 0; i < kDevices; ++i) {
        EXPECT_GE(all[std::size_t(i)]->lanes(), 1);
        EXPECT_EQ(all[std::size_t(i)]->last_shown(), i) << "another device's plan";
    }
}

TEST_F(Batches, ProgressThatThrowsEndsTheBatchNotTheProgram) {
    for (const testing::ThrownFault& fault : testing::thrown_faults()) {
        FaultyDevice device([] {});
        try {
            (void)run_batch({{device, Plan{}}}, items_, 3,
                            [&](const BatchResult&, const std::string&) { fault.raise(); });
            FAIL() << fault.message;
        } catch (...) {
            EXPECT_EQ(caught_message(), fault.message);
        }
    }
}

}  // namespace
}  // namespace ws
