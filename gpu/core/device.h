#pragma once
// A thing that runs the pipeline: a CUDA GPU, a simulated one, or the native pipeline on the CPU.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/error.h"
#include "gpu/core/frame_target.h"
#include "gpu/core/gpu_profile.h"
#include "gpu/core/plan.h"

namespace ws {

enum class DeviceKind { automatic, cuda, simt, cpu };

// One line of "what is in the machine": label and value, ready to be read.
struct Fact {
    std::string label;
    std::string value;
};

struct DeviceFacts {
    DeviceKind kind = DeviceKind::cpu;
    std::string name;         // "NVIDIA H200", "AMD EPYC (2 threads, AVX2)"
    GpuProfile profile;       // meaningful for cuda
    std::vector<Fact> facts;  // everything else, in the order in which it is shown
};

// One sample: `launches` runs of the same work took `ms` each, on average.
struct Sample {
    double ms = 0;
    int launches = 0;
};

// The samples of one frame, which may be an earlier one. What was not timed in it has no launches.
struct FrameTimes {
    std::uint64_t generation = 0;
    PerStage<Sample> stages;
    Sample total;       // the pipeline of separate stages as a whole
    Sample fused;       // cpu: the one-pass pipeline
    double map_ms = 0;  // time of the CPU in the calls that map and unmap the frame target
    double unmap_ms = 0;
};

// A launch that the GPU refused or that failed; data, not an exception.
struct LaunchFailure {
    Stage stage = Stage::gray;
    std::string code;     // "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"
    std::string message;  // what it means here, with the arithmetic where there is one
    bool device_lost = false;
};

struct FrameResult {
    std::optional<LaunchFailure> failure;  // then the target was not touched
    std::optional<FrameTimes> times;
    bool drawn = true;  // false: the target is as it was, since nothing new is there yet
};

// A way for whole pictures through a plan, beside other ways: for pictures by the hundred, of any size.
class PictureLane {
  public:
    virtual ~PictureLane() = default;
    // Copies the picture in, runs the plan's kernels and copies the result out. One call at a time; calls of
    // different lanes may overlap, from any thread.
    [[nodiscard]] virtual Result<GrayImage> run(const Picture& picture) = 0;
};

class Device {
  public:
    virtual ~Device() = default;
    [[nodiscard]] virtual const DeviceFacts& facts() const = 0;
    // The clock of the multiprocessors now, in MHz, where it can be read.
    [[nodiscard]] virtual std::optional<int> clock_mhz() { return std::nullopt; }
    // Uploads or keeps the source picture. Throws Error (the GPU's memory is full); the previous one is then
    // gone.
    virtual void set_picture(Picture picture) = 0;
    // Runs a plan with at least one launch into the target, and repeats it to time it. A plan of a new
    // generation is tried in plain memory first, so that a failure leaves the target as it was.
    [[nodiscard]] virtual FrameResult run(const Plan& plan, FrameTarget& target) = 0;
    // Runs a plan once into host memory whose bytes were `poison` before; for checks.
    [[nodiscard]] virtual Result<GrayImage> run_poisoned(const Plan& plan, std::uint8_t poison) = 0;
    // A lane for a plan, whose grids follow each picture's size. The device must outlive it. Where a device
    // does one thing at a time, its lanes take turns. Throws Error.
    [[nodiscard]] virtual std::unique_ptr<PictureLane> make_lane(const Plan& plan);

  private:
    std::mutex turns_;  // of lanes that share the device
};

[[nodiscard]] inline const char* name_of(DeviceKind kind) {
    switch (kind) {
        case DeviceKind::automatic:
            return "auto";
        case DeviceKind::cuda:
            return "cuda";
        case DeviceKind::simt:
            return "simt";
        case DeviceKind::cpu:
            return "cpu";
    }
    return "";
}

}  // namespace ws
