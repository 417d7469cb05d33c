#pragma once
// Devices that fail as real ones do, to be put around a device that works.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/device.h"

namespace ws::testing {

// Passes everything on.
class Decorated : public Device {
  public:
    explicit Decorated(std::unique_ptr<Device> inside) : inside_(std::move(inside)) {}
    [[nodiscard]] const DeviceFacts& facts() const override { return inside_->facts(); }
    [[nodiscard]] ClockReading clock() override { return inside_->clock(); }
    void set_problem(Problem problem) override { inside_->set_problem(std::move(problem)); }
    [[nodiscard]] FrameResult run(const Plan& plan, FrameTarget& target) override {
        return inside_->run(plan, target);
    }
    [[nodiscard]] Result<std::vector<HostBytes>> run_once(const Plan& plan, std::uint8_t poison,
                                                          const std::vector<int>& buffers) override {
        return inside_->run_once(plan, poison, buffers);
    }
    [[nodiscard]] Progress progress() const override { return inside_->progress(); }
    [[nodiscard]] std::shared_ptr<const HostBytes> result() const override { return inside_->result(); }
    void become(const GpuProfile& gpu) override { inside_->become(gpu); }
    void redraw() override { inside_->redraw(); }
    [[nodiscard]] std::optional<int> active_blocks(const Launch& launch) override {
        return inside_->active_blocks(launch);
    }
    [[nodiscard]] std::unique_ptr<PictureLane> make_lane(const Plan& plan) override {
        return inside_->make_lane(plan);
    }

  protected:
    std::unique_ptr<Device> inside_;
};

enum class Fault { launch, no_memory, device_lost };

// Works until it has drawn something; then the next plan (launch), the next frame (device_lost) or the next
// input (no_memory) fails, once.
class Faulty final : public Decorated {
  public:
    Faulty(std::unique_ptr<Device> inside, Fault fault) : Decorated(std::move(inside)), fault_(fault) {}
    void set_problem(Problem problem) override {
        if (fault_ == Fault::no_memory && drawn_ && !std::exchange(failed_, true))
            throw Error("the GPU's memory is full: this picture needs more than is free", "staged for a test",
                        "close other programs or use a smaller picture");
        Decorated::set_problem(std::move(problem));
    }
    [[nodiscard]] FrameResult run(const Plan& plan, FrameTarget& target) override {
        const int step = plan.launches.back().step;
        if (fault_ == Fault::launch && drawn_ && plan.generation > 1 && !std::exchange(failed_, true))
            return {LaunchFailure{step, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "staged for a test", false},
                    {}};
        if (fault_ == Fault::device_lost && drawn_ && !std::exchange(failed_, true))
            return {LaunchFailure{step, "cudaErrorIllegalAddress", "staged for a test", true}, {}};
        FrameResult result = Decorated::run(plan, target);
        drawn_ = drawn_ || result.drawn;
        return result;
    }

  private:
    Fault fault_;
    bool drawn_ = false;
    bool failed_ = false;
};

}  // namespace ws::testing
