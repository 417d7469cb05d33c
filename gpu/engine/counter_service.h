#pragma once
// Counts what the kernels of the settings do, on a sample of blocks of the simulated GPU, beside the frames.

#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "gpu/core/counters.h"
#include "gpu/core/image.h"
#include "gpu/core/kernel.h"
#include "gpu/core/plan.h"
#include "gpu/simt/stage_launch.h"

namespace ws {

struct CountRequest {
    PerStage<std::optional<Launch>> stages;  // their kernels are PTX
    Picture picture;
    bool blur_first = true;
    GpuProfile gpu;
};

struct CountResult {
    PerStage<std::shared_ptr<const KernelCounters>> counters;
    PerStage<std::string> problems;  // why a stage has none
};

class CounterService {
  public:
    CounterService();
    ~CounterService();
    CounterService(const CounterService&) = delete;
    CounterService& operator=(const CounterService&) = delete;

    // Replaces what was asked for before, which is given up at once. Returns the number of the request.
    std::uint64_t ask(CountRequest request);
    // The result of the latest request, once; by stage as they get ready.
    [[nodiscard]] std::optional<std::pair<std::uint64_t, CountResult>> poll();
    [[nodiscard]] bool busy() const;
    void wait();

  private:
    void work();
    void count(std::uint64_t number, const CountRequest& request);
    void fail(const CountRequest& request, const std::string& problem);  // under the lock

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable idle_;
    std::optional<CountRequest> waiting_;
    std::uint64_t number_ = 0;
    bool running_ = false;
    bool quit_ = false;
    std::atomic<bool> cancel_{false};
    std::optional<std::pair<std::uint64_t, CountResult>> result_;
    simt::ProgramCache programs_;
    // The pictures that blur and edge read, made once for a picture.
    Picture prepared_for_;
    GrayImage gray_, blurred_;
    std::thread thread_;
};

}  // namespace ws
