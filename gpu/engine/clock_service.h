#pragma once
// Runs kernels by the clock of a multiprocessor, beside the frames.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/job_queue.h"
#include "gpu/engine/traced_kernel.h"

namespace ws {

struct ClockOutcome {
    std::shared_ptr<const ClockedKernel> clocked;
    std::string problem;  // why there is none
};

class ClockService {
  public:
    explicit ClockService(std::shared_ptr<StagingStore> store) : stager_(std::move(store)) {}

    // Replaces earlier requests.
    void ask(std::vector<ClockJob> jobs);
    // What has become ready since the last call.
    [[nodiscard]] std::vector<std::pair<ClockKey, ClockOutcome>> poll();
    [[nodiscard]] bool busy() const { return queue_.active(); }
    void wait() { queue_.wait(); }

  private:
    using Clocked = std::shared_ptr<const ClockedKernel>;
    [[nodiscard]] Clocked run(const ClockJob& job, const std::stop_token& stop);

    // Of the queue's thread.
    LaunchStager stager_;
    std::unique_ptr<const TracedKernel> traced_;  // the last one: a slider changes how many blocks there are
    JobQueue<ClockKey, Clocked> queue_{1, Unwanted::stops, Priority::gives_way};
};

}  // namespace ws
