#pragma once
// The simulated GPU as a device beside cuda and cpu: runs a plan's kernels in the background, first on a
// small copy of the picture, then on the whole.

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>

#include "gpu/core/device.h"
#include "gpu/core/job.h"
#include "gpu/simt/stage_launch.h"

namespace ws::simt {

// How far the picture of the current plan is.
struct SimulationStatus {
    std::uint64_t generation = 0;
    bool complete = false;    // the picture is the whole one
    double progress = 0;      // of the whole picture, 0 to 1
    Extent drawn;             // the size at which the picture that is shown was computed
    double milliseconds = 0;  // that the whole picture took
};

class SimtDevice final : public Device {
  public:
    explicit SimtDevice(const GpuProfile& gpu);

    void simulate(const GpuProfile& gpu);  // another GPU from the next plan on
    void redraw() { drawn_.reset(); }      // the target is another one, or has lost its content
    [[nodiscard]] SimulationStatus status() const;
    // The whole picture, once it is complete.
    [[nodiscard]] std::optional<GrayImage> whole_picture() const;

    [[nodiscard]] const DeviceFacts& facts() const override { return facts_; }
    void set_picture(Picture picture) override;
    // Starts a plan of a new generation, or draws what has been finished since the last call; never waits
    // long. Without anything new the target is not touched and there are no times.
    [[nodiscard]] FrameResult run(const Plan& plan, FrameTarget& target) override;
    // Runs the plan here and now.
    [[nodiscard]] Result<GrayImage> run_poisoned(const Plan& plan, std::uint8_t poison) override;

  private:
    struct Work {
        Plan plan;
        GpuProfile gpu;
        Picture picture;
        Stage stage = Stage::gray;  // the launch that is under way
    };
    struct Finished {
        GrayImage picture;  // of the size at which it was computed
        int step = 1;       // every so many pixels of the whole picture
    };

    void run_work(Work& work, const std::stop_token& stop);
    void fail(LaunchFailure failure);
    // The picture of the plan; none if it was cancelled. Throws Error.
    [[nodiscard]] std::optional<GrayImage> compute(Work& work, const RgbaImage& picture, std::uint8_t poison,
                                                   std::atomic<std::uint64_t>* done,
                                                   const std::atomic<bool>* cancel);
    void start(const Plan& plan);
    void draw(const Finished& finished, FrameTarget& target) const;
    void stop_work();

    GpuProfile gpu_;
    DeviceFacts facts_;
    Picture picture_;
    ProgramCache programs_;
    std::mutex programs_mutex_;

    mutable std::mutex mutex_;
    std::condition_variable news_;  // a picture, or why there is none
    std::atomic<std::uint64_t> blocks_done_{0};
    std::uint64_t blocks_in_all_ = 0;
    std::shared_ptr<const Finished> finished_;  // the latest picture of the plan
    std::shared_ptr<const Finished> drawn_;     // the one in the target
    std::optional<LaunchFailure> failure_;
    std::uint64_t generation_ = 0;
    double milliseconds_ = 0;
    Job<Done> job_;  // computes the plan's picture
};

}  // namespace ws::simt
