#pragma once
// What the clock of a multiprocessor says of launches, by key: run beside the frames, asked for once, kept
// while there is room.

#include <memory>
#include <string>
#include <vector>

#include "gpu/core/clocked_launch.h"
#include "gpu/core/job_queue.h"
#include "gpu/core/result_key.h"
#include "gpu/engine/stager_pool.h"
#include "gpu/engine/traced_kernel.h"

namespace ws {

// Whose machine code is read.
[[nodiscard]] inline bool has_clock(const GpuProfile& gpu) {
    constexpr ComputeCapability kRead{7, 5};
    return !(gpu.limits.capability < kRead);
}

struct ClockedOutcome {
    std::shared_ptr<const ClockedLaunch> launch;
    std::string problem;  // why there is none
};

class LaunchClock {
  public:
    explicit LaunchClock(const std::shared_ptr<StagingStore>& store = std::make_shared<StagingStore>())
        : wanted_(kWantedAtOnce, Priority::normal, store), others_(1, Priority::gives_way, store) {}

    // In this order; what somebody waits for, and what gives way to everything else. Replaces earlier
    // requests.
    void ask(std::vector<ClockJob> wanted, std::vector<ClockJob> others);
    // Takes what has become ready since the last call; true if anything has.
    [[nodiscard]] bool take();
    // Null while it is not known; with as many blocks resident as fit.
    [[nodiscard]] const ClockedOutcome* find(const ClockKey& key) const { return board_.find(key); }
    [[nodiscard]] bool busy() const { return wanted_.jobs.active() || others_.jobs.active(); }
    void wait() {
        wanted_.jobs.wait();
        others_.jobs.wait();
    }

  private:
    using Clocked = std::shared_ptr<const ClockedLaunch>;
    // A version's launches are run side by side: each has one thread to do for most of its time. What gives
    // way has a thread of its own, since one that has given way once cannot come back.
    static constexpr int kWantedAtOnce = 2;
    struct Queue {
        Queue(int threads, Priority priority, std::shared_ptr<StagingStore> store)
            : stagers(std::move(store)), jobs(threads, Unwanted::stops, priority) {}
        void ask(std::vector<ClockJob> asked);
        StagerPool stagers;
        JobQueue<ClockKey, Clocked> jobs;
    };
    Queue wanted_, others_;
    Board<ClockKey, ClockedOutcome> board_;
};

}  // namespace ws
