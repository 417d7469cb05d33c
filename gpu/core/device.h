#pragma once
// A thing that runs a lab's steps: a CUDA GPU, a simulated one, or the lab's own code on the CPU.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/core/device_choice.h"
#include "gpu/core/error.h"
#include "gpu/core/frame_target.h"
#include "gpu/core/gpu_profile.h"
#include "gpu/core/plan.h"

namespace ws {

// One line of "what is in the machine": label and value, ready to be read.
struct Fact {
    std::string label;
    std::string value;
};

// What a device can do; nobody asks which kind it is.
struct Abilities {
    bool needs_kernels = false;    // it runs compiled kernels; else versions, blocks and knobs change nothing
    bool runs_ptx = false;         // these are PTX, else machine code for it
    bool measures_time = false;    // its samples are times of the GPU whose profile its facts have
    bool shows_progress = false;   // it computes beside the frames; progress() says how far it is
    bool becomes_any_gpu = false;  // become() chooses the GPU
    bool maps_gl = false;          // it may write into memory that OpenGL shares with CUDA
    bool is_reference = false;     // its results are the definition
};

// Which of this machine's CUDA GPUs: those of one name differ in it.
struct GpuPlace {
    int number = 0;             // CUDA's: cuda:0
    int of = 0;                 // so many there are
    std::string uuid{};         // "GPU-...", of this very card wherever it is plugged in
    std::string pci_address{};  // "0000:65:00.0"
};
// 16 bytes as nvidia-smi writes them: "GPU-01234567-89ab-cdef-0123-456789abcdef".
[[nodiscard]] std::string uuid_text(std::span<const std::uint8_t, 16> bytes);

struct DeviceFacts {
    DeviceKind kind = DeviceKind::cpu;  // its name on the command line
    Abilities can;
    std::string name;         // "NVIDIA H200", "AMD EPYC (2 threads, AVX2)"
    GpuProfile profile;       // meaningful for cuda
    std::string driver{};     // the newest CUDA that the driver knows, "13.0"; empty where there is none
    std::vector<Fact> facts;  // everything else, in the order in which it is shown
    GpuPlace place{};         // of cuda
};
// "NVIDIA H200"; where the machine has several GPUs "NVIDIA H200 (cuda:1)".
[[nodiscard]] std::string shown_name(const DeviceFacts& device);

// One sample: `launches` runs of the same work took `ms` each, on average.
struct Sample {
    double ms = 0;
    int launches = 0;
};

// The samples of one frame, which may be an earlier one. What was not timed in it has no launches.
struct FrameTimes {
    std::uint64_t generation = 0;
    PerStep<Sample> steps;
    Sample total;       // the steps one after the other
    Sample one_pass;    // the lab's own code for all of them at once, on a device that is the reference
    double map_ms = 0;  // time of the CPU in the calls that map and unmap the frame target
    double unmap_ms = 0;
};

// The clock of the multiprocessors, read beside a sample.
struct ClockReading {
    std::optional<int> mhz;  // where it can be read
    std::string slowed;      // why the GPU keeps it low, "it is too hot"; empty where it does not
};

// A launch that the GPU refused or that failed; data, not an exception.
struct LaunchFailure {
    int step = 0;
    std::string code;     // "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"
    std::string message;  // what it means here, with the arithmetic where there is one
    bool device_lost = false;
    int line = 0;  // of the step's source, where one is to blame; else 0
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

// How far a device is that computes beside the frames.
struct Progress {
    bool complete = false;    // the result is the whole one
    double done = 0;          // 0 to 1
    double milliseconds = 0;  // that the whole result took
};

// Bytes of a buffer as they lie in memory.
using HostBytes = std::vector<std::uint8_t>;

class Device {
  public:
    virtual ~Device() = default;
    [[nodiscard]] virtual const DeviceFacts& facts() const = 0;
    [[nodiscard]] virtual ClockReading clock() { return {}; }
    // Uploads or keeps what the kernels work on. Throws Error (the GPU's memory is full); what was there
    // before is then gone.
    virtual void set_problem(Problem problem) = 0;
    // Runs a plan with at least one launch, and repeats it to time it; into the target where the result is
    // one byte an element. A plan of a new generation is tried in plain memory first, so that a failure
    // leaves the target as it was.
    [[nodiscard]] virtual FrameResult run(const Plan& plan, FrameTarget& target) = 0;
    // Runs a plan once over the problem's content, and over `poison` in buffers that have none; these buffers
    // of the lab afterwards. For checks, and for results that are not drawn.
    [[nodiscard]] virtual Result<std::vector<HostBytes>> run_once(const Plan& plan, std::uint8_t poison,
                                                                  const std::vector<int>& buffers) = 0;
    // The buffer that the plan shows.
    [[nodiscard]] Result<HostBytes> run_poisoned(const Plan& plan, std::uint8_t poison);
    // Of a device that shows progress.
    [[nodiscard]] virtual Progress progress() const { return {}; }
    // Of a device that shows progress: the whole result, once it is complete; null before.
    [[nodiscard]] virtual std::shared_ptr<const HostBytes> result() const { return nullptr; }
    // Another GPU from the next plan on, on a device that becomes any.
    virtual void become(const GpuProfile& /*gpu*/) {}
    // The target is another one, or has lost its content: the next run fills it.
    virtual void redraw() {}
    // The resident blocks of a multiprocessor that the driver promises for a launch, where there is one to
    // ask.
    [[nodiscard]] virtual std::optional<int> active_blocks(const Launch& /*launch*/) { return std::nullopt; }
    // A lane for a plan of a lab that makes gray pictures of pictures; its grids follow each one's size. The
    // device must outlive it. Where a device does one thing at a time, its lanes take turns. Throws Error.
    [[nodiscard]] virtual std::unique_ptr<PictureLane> make_lane(const Plan& plan);

  private:
    std::mutex turns_;  // of lanes that share the device
};

}  // namespace ws
