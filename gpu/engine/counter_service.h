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
    // In this order. Replaces earlier requests: a job that is running continues if it is among
    // these, else it is given up at once and has no outcome.
    void ask(std::vector<CountJob> jobs);
    // What has become ready since the last call.
    [[nodiscard]] std::vector<std::pair<CountKey, CountOutcome>> poll();
    [[nodiscard]] bool busy() const { return queue_.active(); }
    // Until no request is left.
    void wait() { queue_.wait(); }

  private:
    using Counters = std::shared_ptr<const KernelCounters>;
    [[nodiscard]] Counters count(const CountJob& job, const std::stop_token& stop);

    LaunchStager stager_;  // of the queue's thread
    JobQueue<CountKey, Counters> queue_{1, Unwanted::stops, Priority::gives_way};
};

}  // namespace ws
