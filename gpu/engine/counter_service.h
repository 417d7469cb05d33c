#pragma once
// Counts what kernels do, on a sample of blocks of the simulated GPU, beside the frames.

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gpu/core/counters.h"
#include "gpu/core/image.h"
#include "gpu/core/plan.h"
#include "gpu/core/result_key.h"
#include "gpu/simt/stage_launch.h"

namespace ws {

// One kernel to be counted. The result is that of the key, whoever asked.
struct CountJob {
    CountKey key;
    Launch launch;  // its kernel is PTX
    Picture picture;
};

struct CountOutcome {
    std::shared_ptr<const KernelCounters> counters;
    std::string problem;  // why there are none
};

class CounterService {
  public:
    CounterService();
    ~CounterService();
    CounterService(const CounterService&) = delete;
    CounterService& operator=(const CounterService&) = delete;

    // In this order. Replaces earlier requests: a job that is running continues if it is among
    // these, else it is given up at once and has no outcome.
    void ask(std::vector<CountJob> jobs);
    // What has become ready since the last call.
    [[nodiscard]] std::vector<std::pair<CountKey, CountOutcome>> poll();
    [[nodiscard]] bool busy() const;
    // Until no request is left.
    void wait();

  private:
    void work();
    [[nodiscard]] std::optional<CountOutcome> count(const CountJob& job);
    [[nodiscard]] std::optional<KernelCounters> counters_of(const CountJob& job);
    [[nodiscard]] const std::uint8_t* input_of(const CountJob& job);

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable idle_;
    std::vector<CountJob> waiting_;
    std::optional<CountKey> running_;
    bool quit_ = false;
    std::atomic<bool> cancel_{false};
    std::vector<std::pair<CountKey, CountOutcome>> ready_;
    simt::ProgramCache programs_;
    // The pictures that blur and edge read, made once for a picture.
    PictureKey prepared_for_;
    GrayImage gray_, blurred_;
    std::thread thread_;
};

}  // namespace ws
