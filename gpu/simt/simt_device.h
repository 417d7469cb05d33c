#pragma once
// The simulated GPU as a device beside cuda and cpu: runs a plan's kernels in the background.

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>

#include "gpu/core/device.h"
#include "gpu/core/job.h"
#include "gpu/simt/plan_memory.h"

namespace ws::simt {

class SimtDevice final : public Device {
  public:
    explicit SimtDevice(const GpuProfile& gpu);

    [[nodiscard]] const DeviceFacts& facts() const override { return facts_; }
    void become(const GpuProfile& gpu) override;
    void redraw() override { drawn_.reset(); }
    [[nodiscard]] Progress progress() const override;
    [[nodiscard]] std::shared_ptr<const HostBytes> result() const override;
    void set_problem(Problem problem) override;
    // Starts a plan of a new generation, or draws what has been finished since the last call; never waits
    // long. Without anything new the target is not touched and there are no times.
    [[nodiscard]] FrameResult run(const Plan& plan, FrameTarget& target) override;
    // Runs the plan here and now.
    [[nodiscard]] Result<std::vector<HostBytes>> run_once(const Plan& plan, std::uint8_t poison,
                                                          const std::vector<int>& buffers) override;

  private:
    struct Task {
        Plan plan;
        GpuProfile gpu;
        Problem problem;
        int step = 0;  // of the launch that is under way
    };
    struct Finished {
        HostBytes bytes;  // of the buffer that the plan shows
        bool is_picture = true;
    };

    void run_task(Task& task, const std::stop_token& stop);
    void fail(LaunchFailure failure);
    // What the plan leaves in memory; none if it was cancelled. Throws Error.
    [[nodiscard]] std::optional<PlanMemory> compute(Task& task, const Problem& problem, std::uint8_t poison,
                                                    std::atomic<std::uint64_t>* done,
                                                    const std::atomic<bool>* cancel);
    void start(const Plan& plan);
    void draw(const Finished& finished, FrameTarget& target) const;
    void stop_work();

    GpuProfile gpu_;
    DeviceFacts facts_;
    Problem problem_;
    ProgramCache programs_;

    mutable std::mutex mutex_;
    std::condition_variable news_;  // a result, or why there is none
    std::atomic<std::uint64_t> blocks_done_{0};
    std::uint64_t blocks_in_all_ = 0;
    std::shared_ptr<const Finished> finished_;  // the latest result of the plan
    std::shared_ptr<const Finished> drawn_;     // the one in the target
    std::optional<LaunchFailure> failure_;
    std::uint64_t generation_ = 0;
    double milliseconds_ = 0;
    Job<Done> job_;  // computes the plan's result
};

}  // namespace ws::simt
