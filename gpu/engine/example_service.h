#pragma once
// The addresses of single blocks, on the simulated GPU, beside the frames and beside what is counted: a
// person drags from block to block.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/chosen_warp.h"
#include "gpu/core/job_queue.h"
#include "gpu/engine/launch_stager.h"

namespace ws {

struct ExampleJob {
    ExampleKey key;
    CountJob job;
};

struct ExampleOutcome {
    std::shared_ptr<const BlockExamples> examples;
    std::string problem;  // why there are none
};

class ExampleService {
  public:
    explicit ExampleService(std::shared_ptr<StagingStore> store) : stager_(std::move(store)) {}

    // Replaces earlier requests.
    void ask(std::vector<ExampleJob> jobs);
    // What has become ready since the last call.
    [[nodiscard]] std::vector<std::pair<ExampleKey, ExampleOutcome>> poll();
    [[nodiscard]] bool busy() const { return queue_.active(); }
    void wait() { queue_.wait(); }

  private:
    using Examples = std::shared_ptr<const BlockExamples>;
    [[nodiscard]] Examples run(const ExampleJob& job, const std::stop_token& stop);

    LaunchStager stager_;  // of the queue's thread
    JobQueue<ExampleKey, Examples> queue_{1, Unwanted::stops, Priority::gives_way};
};

}  // namespace ws
