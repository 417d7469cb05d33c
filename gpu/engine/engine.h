#pragma once
// Turns settings into work and work into a snapshot. Knows no window: the command line runs it as it is.
//
// A frame is prepare(settings), then, if wants_run(), run(target). Nothing in either waits for the compiler.

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "gpu/analysis/profiles.h"
#include "gpu/compile/compile_service.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/core/device.h"
#include "gpu/core/settings.h"
#include "gpu/core/snapshot.h"
#include "gpu/engine/counter_service.h"
#include "gpu/engine/targets.h"
#include "gpu/simt/simt_device.h"

namespace ws {

// A fault to be staged, so that tests can see what the program makes of it.
enum class StagedFault { none, launch, no_memory, device_lost };

struct EngineOptions {
    std::filesystem::path kernel_folder;  // empty: the embedded kernels
    std::filesystem::path cache_folder;   // empty: no cache on disk
    StagedFault fault = StagedFault::none;
    // Called before everything of this process on a lost GPU is forgotten: frame targets must let go of it.
    std::function<void()> release_targets = [] {};
    // What an opened device is used as: tests put one around it that takes known times.
    std::function<std::unique_ptr<Device>(std::unique_ptr<Device>)> decorate = [](auto device) {
        return device;
    };
};

// The GPU that is simulated and that occupancy is computed for where none is chosen and none is there.
inline constexpr const char* kDefaultTarget = "RTX 3060";

class Engine {
  public:
    explicit Engine(EngineOptions options);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // Begins what takes time at the start (the CUDA context, the first kernels); may run on another thread
    // before anything else is called.
    void warm_up(const Settings& settings);
    // Before the first prepare: the CUDA device to use, and a word on why.
    void use_cuda_device(int index, std::string note);

    // Throws Error if the device refuses the picture; the previous one is then back.
    void set_picture(Picture picture, const std::string& name);
    [[nodiscard]] const Picture& picture() const { return picture_; }

    // Throws UsageError for a version or GPU that does not exist, Error if a device that was asked for by
    // name is not there (the device before stays).
    void prepare(const Settings& settings);
    [[nodiscard]] bool wants_run() const;
    // The plan has not been run into the target yet.
    [[nodiscard]] bool wants_first_run() const { return !plan_.launches.empty() && !drawn_; }
    // False if the target is as it was: nothing new is there yet.
    bool run(FrameTarget& target);
    // The target is another one, or has lost its content: the next run must fill it.
    void redraw();
    // Waits until every kernel of the settings is compiled or has failed.
    void wait_for_kernels();
    // Waits until the counts of the settings are there.
    void wait_for_counts();
    // Checks the picture now instead of when the settings have rested a while.
    void check_now();

    [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }
    [[nodiscard]] const GpuTable& gpus() const { return gpus_; }
    [[nodiscard]] Device& device() { return *device_; }
    [[nodiscard]] const Plan& plan() const { return plan_; }
    // Changes with every device that is opened: a frame target made for the previous one is then of no use.
    [[nodiscard]] int device_epoch() const { return device_epoch_; }
    // Work is in progress that will change the snapshot soon.
    [[nodiscard]] bool busy() const;
    // The simulated GPU computes the picture or the counts; nothing waits for the next frame.
    [[nodiscard]] bool simulating() const;
    // Kernels that may be asked for next are being compiled.
    [[nodiscard]] bool compiling_ahead() const { return !compiler_.idle(); }
    // Kernels come from files, which may change at any time.
    [[nodiscard]] bool watches_files() const { return !options_.kernel_folder.empty(); }

  private:
    using Clock = std::chrono::steady_clock;

    void choose_device(DeviceKind wanted);
    [[nodiscard]] std::unique_ptr<Device> make_simulated() const;
    void open_device(std::unique_ptr<Device> device, std::string reason);
    void replace_lost_device(const std::string& why);
    void refresh_kernels();
    void choose_target();
    // A kernel to be counted: as PTX, and as machine code for its registers.
    struct CountWork {
        Stage stage = Stage::gray;
        CompileRequest ptx, code;
        CountKey key;
        Launch launch;        // without its kernel
        std::string problem;  // why the target cannot run it
    };
    [[nodiscard]] std::vector<CountWork> count_work(const Settings& settings) const;
    [[nodiscard]] WorkKey work_key(const Settings& settings) const;
    void ask_for_counts();
    void take_counts();
    void publish_counts();
    void publish_result(StageSnapshot& shown);
    [[nodiscard]] Baseline baseline_of(const StageSnapshot& shown) const;
    [[nodiscard]] std::optional<StageResult> result_of(const CountWork& work) const;
    [[nodiscard]] std::string problem_of(const CountWork& work) const;
    void publish_version_times();
    void publish_drawn();
    [[nodiscard]] const GrayImage& reference();
    [[nodiscard]] bool runs_kernels() const { return snapshot_.device.kind != DeviceKind::cpu; }
    [[nodiscard]] std::vector<StageRequest> requests_of(const Settings& settings) const;
    [[nodiscard]] const GpuProfile& runs_on() const;
    void describe_stages(const std::vector<StageRequest>& stages);
    [[nodiscard]] CompileRequest code_for(const StageRequest& request, CodeTarget target) const;
    void ask_for_kernels();
    void compile_ahead_when_idle();
    void collect_kernels();
    [[nodiscard]] bool adopt_plan(Plan candidate, const WorkKey& key);
    void reject(const LaunchFailure& failure);
    void update_occupancy();
    void take_samples(const FrameTimes& times);
    void publish_times();
    void start_samples();
    void forget_plan();

    EngineOptions options_;
    GpuTable gpus_;
    KernelLibrary library_;
    CompileService compiler_;
    Picture picture_;
    std::unique_ptr<Device> device_;
    simt::SimtDevice* simulated_ = nullptr;  // the device, if it is that one
    DeviceKind wanted_device_ = DeviceKind::automatic;
    int cuda_index_ = 0;
    std::string cuda_note_;
    int device_epoch_ = 0;

    Settings settings_;
    bool asked_ = false;
    bool asked_ahead_ = false;
    bool asked_for_ptx_ = false;  // for counting
    Clock::time_point asked_at_{};
    CodeTarget run_target_;
    std::uint64_t seen_outcomes_ = ~0ull;
    PerStage<CompileRequest> run_requests_;

    CounterService counter_;
    std::vector<CountWork> shown_work_;     // of the settings
    std::vector<CountWork> baseline_work_;  // of the version before
    int baseline_version_ = -1;
    bool counts_pending_ = false;  // of either; what has failed is not awaited
    Board<CountKey, CountOutcome> counts_;

    PictureKey picture_key_;
    WorkKey asked_key_;                // what the settings ask for
    Plan plan_;                        // what runs
    WorkKey plan_key_;                 // what it is...
    int plan_version_ = 0;             // ...and of which version
    std::optional<WorkKey> rejected_;  // what failed to run; not tried again
    std::uint64_t generations_ = 0;
    bool drawn_ = false;  // the plan has been run into the target at least once

    struct Windows {
        PerStage<SampleWindow> stages;
        SampleWindow total, fused, map, unmap;
    };
    Windows windows_;
    Clock::time_point samples_since_{};
    Clock::time_point last_run_{};
    Clock::time_point last_refresh_{};
    Board<WorkKey, VersionTimes> times_;
    std::map<int, WorkKey>
        version_keys_;  // each version in its own blocks, for this device, picture and view
    // The definition of a picture; the key has no launches and no device.
    std::optional<std::pair<WorkKey, GrayImage>> reference_;
    Snapshot snapshot_;
};

}  // namespace ws
