// Work on threads of its own: results arrive, faults arrive as results, and what nobody wants is stopped.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "gpu/core/job.h"
#include "gpu/core/job_queue.h"
#include "thrown_faults.h"
#include "waiting.h"

namespace ws {
namespace {

using namespace std::chrono_literals;
using testing::soon;
using Names = JobQueue<std::string, int>;

void until_stopped(const std::stop_token& stop) {
    while (sleep_unless_stopped(stop, 1000ms)) {
    }
}

TEST(Job, GivesItsResultOnce) {
    Job<std::unique_ptr<int>> job;
    EXPECT_FALSE(job.active());
    EXPECT_FALSE(job.poll());
    std::atomic<bool> go{false};
    job = Job<std::unique_ptr<int>>([&](const std::stop_token&) {
        EXPECT_TRUE(soon([&] { return go.load(); }));
        return std::make_unique<int>(42);
    });
    EXPECT_TRUE(job.active());
    EXPECT_FALSE(job.poll()) << "it is not there yet";
    go = true;
    std::optional<Result<std::unique_ptr<int>>> result;
    ASSERT_TRUE(soon([&] { return (result = job.poll()).has_value(); }));
    ASSERT_TRUE(result->ok());
    EXPECT_EQ(*result->value(), 42);
    EXPECT_FALSE(job.active());
    EXPECT_FALSE(job.poll());
}

TEST(Job, HandsOnWhateverIsThrown) {
    for (const testing::ThrownFault& fault : testing::thrown_faults()) {
        const auto work = [&](const std::stop_token&) -> int {
            fault.raise();
            return 1;
        };
        Job<int> waited(work);
        const Result<int> result = waited.wait();
        ASSERT_FALSE(result.ok());
        EXPECT_EQ(result.message(), fault.message);
    }
    Job<int> usage([](const std::stop_token&) -> int { throw UsageError("no such option"); });
    EXPECT_THROW((void)usage.get(), UsageError) << "the type decides on the exit code";
}

TEST(Job, IsStoppedByItsEndAndByItsSuccessor) {
    std::atomic<int> ended{0};
    const auto work = [&](const std::stop_token& stop) {
        until_stopped(stop);
        ++ended;
        return Done{};
    };
    {
        Job<Done> job(work, Priority::gives_way);
        job = Job<Done>(work);
        EXPECT_EQ(ended, 1);
        Job<Done> moved = std::move(job);
        EXPECT_EQ(ended, 1) << "a job that is moved goes on";
    }
    EXPECT_EQ(ended, 2);
}

TEST(JobQueue, DoesJobsInOrderThoseAheadLast) {
    std::vector<std::string> done;
    const auto entry = [&](const char* name, bool ahead) {
        return Names::Entry{name,
                            [&done, name](const std::stop_token&) {
                                done.emplace_back(name);
                                return int(done.size());
                            },
                            ahead};
    };
    Names queue(1, Unwanted::finishes, Priority::normal);
    EXPECT_FALSE(queue.active());
    queue.ask({entry("later", true), entry("first", false), entry("second", false), entry("first", false)});
    queue.wait();
    EXPECT_EQ(done, (std::vector<std::string>{"first", "second", "later"}));
    EXPECT_TRUE(queue.idle());
    EXPECT_TRUE(queue.active()) << "results lie ready";
    queue.ask({entry("second", false)});
    queue.wait();
    EXPECT_EQ(done.size(), 3u) << "what lies ready is not done again";
    const auto ready = queue.poll();
    ASSERT_EQ(ready.size(), 3u);
    EXPECT_EQ(ready[2].first, "later");
    EXPECT_EQ(ready[2].second.value(), 3);
    EXPECT_FALSE(queue.active());
}

TEST(JobQueue, FaultsAreResultsAndTheThreadGoesOn) {
    Names queue(1, Unwanted::stops, Priority::gives_way);
    for (const testing::ThrownFault& fault : testing::thrown_faults()) {
        queue.ask({{"bad",
                    [&](const std::stop_token&) -> int {
                        fault.raise();
                        return 0;
                    }},
                   {"good", [](const std::stop_token&) { return 7; }}});
        queue.wait();
        const auto ready = queue.poll();
        ASSERT_EQ(ready.size(), 2u);
        EXPECT_EQ(ready[0].second.message(), fault.message);
        EXPECT_EQ(ready[1].second.value(), 7);
    }
}

// A job that runs until it is stopped or let go, and counts how often it was begun.
struct Slow {
    std::atomic<int> begun{0};
    std::atomic<bool> go{false};
    [[nodiscard]] Names::Entry entry(const std::string& name, bool ahead = false) {
        return {name,
                [this](const std::stop_token& stop) {
                    ++begun;
                    EXPECT_TRUE(soon([&] { return go || stop.stop_requested(); }));
                    return 1;
                },
                ahead};
    }
    [[nodiscard]] bool begins(int times = 1) {
        return soon([&] { return begun == times; });
    }
};

TEST(JobQueue, WhatNobodyWantsIsStoppedAndHasNoResult) {
    Slow slow;
    Names queue(1, Unwanted::stops, Priority::normal);
    queue.ask({slow.entry("slow"), {"dropped", [](const std::stop_token&) { return 3; }}});
    ASSERT_TRUE(slow.begins());
    queue.ask({{"quick", [](const std::stop_token&) { return 2; }}});
    queue.wait();
    const auto ready = queue.poll();
    ASSERT_EQ(ready.size(), 1u);
    EXPECT_EQ(ready[0].first, "quick");
    EXPECT_EQ(slow.begun, 1);
}

TEST(JobQueue, WhatIsAskedForAgainGoesOn) {
    for (const Unwanted unwanted : {Unwanted::stops, Unwanted::finishes}) {
        Slow slow;
        Names queue(2, unwanted, Priority::normal);
        queue.ask({slow.entry("slow")});
        ASSERT_TRUE(slow.begins());
        for (int i = 0; i < 3; ++i) queue.ask({slow.entry("slow")});
        EXPECT_EQ(queue.pending(), 1);
        slow.go = true;
        queue.wait();
        EXPECT_EQ(queue.poll().size(), 1u);
        EXPECT_EQ(slow.begun, 1);
    }
}

TEST(JobQueue, OneThreadIsFreeForWhatIsNeeded) {
    Slow ahead;
    Names queue(2, Unwanted::finishes, Priority::normal);
    queue.ask({ahead.entry("a", true), ahead.entry("b", true)});
    ASSERT_TRUE(ahead.begins());
    EXPECT_EQ(queue.pending(), 0);
    queue.do_first({"needed", [](const std::stop_token&) { return 5; }});
    const auto ready = queue.poll();
    ASSERT_EQ(ready.size(), 1u) << "it waits for none that are ahead";
    EXPECT_EQ(ready[0].first, "needed");
    queue.ask({ahead.entry("a")});
    EXPECT_EQ(queue.pending(), 1) << "it runs ahead, but is needed now";
    ahead.go = true;
    queue.wait();
    EXPECT_EQ(ahead.begun, 1);
    EXPECT_EQ(queue.poll().size(), 1u);
}

TEST(JobQueue, EndsWhileJobsRunAndWait) {
    Slow slow;
    {
        Names queue(2, Unwanted::finishes, Priority::normal);
        queue.ask({slow.entry("a"), slow.entry("b"), slow.entry("c")});
        ASSERT_TRUE(slow.begins(2));
    }
    EXPECT_EQ(slow.begun, 2) << "what waits is not begun any more";
}

TEST(SleepUnlessStopped, SaysWhetherItSleptThrough) {
    std::stop_source stop;
    EXPECT_TRUE(sleep_unless_stopped(stop.get_token(), 1ms));
    stop.request_stop();
    EXPECT_FALSE(sleep_unless_stopped(stop.get_token(), 60000ms));
}

}  // namespace
}  // namespace ws
