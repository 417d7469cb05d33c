#pragma once
// Counts what kernels do, on a sample of blocks of the simulated GPU, beside the frames.

#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/counters.h"
#include "gpu/core/image.h"
#include "gpu/core/job_queue.h"
#include "gpu/core/plan.h"
#include "gpu/core/result_key.h"
#include "gpu/engine/launch_stager.h"

namespace ws {

struct CountOutcome {
    std::shared_ptr<const KernelCounters> counters;
    std::string problem;  // why there are none
};

class CounterService {
  public:
    explicit CounterService(const std::shared_ptr<StagingStore>& store = std::make_shared<StagingStore>())
        : wanted_(Priority::normal, store), others_(Priority::gives_way, store) {}

    // In this order; what somebody waits for, and what gives way to everything else. Replaces earlier
    // requests: a job that is running continues if it is among these, else it is given up at once and has no
    // outcome.
    void ask(std::vector<CountJob> wanted, std::vector<CountJob> others = {});
    // What has become ready since the last call.
    [[nodiscard]] std::vector<std::pair<CountKey, CountOutcome>> poll();
    [[nodiscard]] bool busy() const { return wanted_.jobs.active() || others_.jobs.active(); }
    // Until no request is left.
    void wait() {
        wanted_.jobs.wait();
        others_.jobs.wait();
    }

  private:
    using Counters = std::shared_ptr<const KernelCounters>;
    // Each on a thread of its own: one that has given way once cannot come back.
    struct Queue {
        Queue(Priority priority, std::shared_ptr<StagingStore> store)
            : stager(std::move(store)), jobs(1, Unwanted::stops, priority) {}
        void ask(std::vector<CountJob> asked);
        LaunchStager stager;  // of the queue's thread
        JobQueue<CountKey, Counters> jobs;
    };
    Queue wanted_, others_;
};

}  // namespace ws
