#pragma once
// Turns work into a plan, runs it and tells what came of it in a snapshot. Knows no window: the command line
// runs it as it is.
//
// A frame is prepare(work), then, if wants_run(), run(target). Nothing in either waits for the compiler.

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/analysis/profiles.h"
#include "gpu/compile/compile_service.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/core/snapshot.h"
#include "gpu/core/work.h"
#include "gpu/engine/asked_work.h"
#include "gpu/engine/clock_book.h"
#include "gpu/engine/count_book.h"
#include "gpu/engine/device_host.h"
#include "gpu/engine/example_book.h"
#include "gpu/engine/good_kernels.h"
#include "gpu/engine/other_run.h"
#include "gpu/engine/other_times.h"
#include "gpu/engine/record_of.h"
#include "gpu/engine/result_check.h"
#include "gpu/engine/time_book.h"

namespace ws {

struct EngineOptions {
    std::filesystem::path kernel_folder;  // empty: the embedded kernels
    std::filesystem::path cache_folder;   // empty: no cache on disk
    DeviceOptions devices;
    std::vector<Calibration> calibrations;  // that go before the program's own
    bool compiles_next = false;  // what may be chosen next, at rest: for a window, where somebody chooses
};

// What labs work on.
struct EngineInput {
    Picture picture;
    std::string picture_name;
    // Of the picture, and the last that was generated: going back to a lab makes nothing anew.
    Problem of_picture, generated;
    InputKey key;
};
// What the device runs.
struct RunningPlan {
    Plan plan;
    WorkKey key;
    int version = 0;
    int view = 0;
    bool done = false;                // it has been run at least once
    std::optional<WorkKey> rejected;  // what failed to run; not tried again
    std::uint64_t generations = 0;
    std::chrono::steady_clock::time_point last_run{};
    std::shared_ptr<const HostBytes> result;  // what was checked; null: nothing yet
};

class Engine {
  public:
    explicit Engine(EngineOptions options);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // Begins what takes time at the start (the CUDA context, the first kernels); may run on another thread
    // before anything else is called.
    void warm_up(const Work& work);
    // Before the first prepare: the CUDA device to use, and a word on why.
    void use_cuda_device(int index, std::string note) { devices_.use_cuda_device(index, std::move(note)); }

    // The input of the work is at hand: of a lab that generates its own, prepare() makes none. One that was
    // made elsewhere, as input_of() does on any thread, is kept.
    [[nodiscard]] bool has_input(const Work& work) const;
    [[nodiscard]] Problem input_of(const Work& work) const;
    void keep_input(Problem generated) { input_.generated = std::move(generated); }

    // What labs work on that take a picture. Throws Error if the device refuses it; the previous one is then
    // back.
    void set_picture(Picture picture, const std::string& name);
    [[nodiscard]] const Picture& picture() const { return input_.picture; }

    // Throws UsageError for a version or GPU that does not exist, Error if a device that was asked for by
    // name is not there (the device before stays) or has no room for the work.
    void prepare(const Work& work, const Beside& beside = {});
    [[nodiscard]] bool wants_run() const;
    // The plan has not been run yet.
    [[nodiscard]] bool wants_first_run() const { return !running_.plan.launches.empty() && !running_.done; }
    // False if the target is as it was: nothing new is there yet, or the result is no picture.
    bool run(FrameTarget& target);
    // The target is another one, or has lost its content: the next run must fill it.
    void redraw() { devices_.device().redraw(); }
    // Waits until every kernel of the work is compiled or has failed.
    void wait_for_kernels();
    // Waits until the result of other work is there, if it is asked for, or cannot be. The work's own has
    // been checked.
    void wait_for_other();
    // Waits until the counts of the work are there.
    void wait_for_counts();
    // Checks the result now instead of when the work has rested a while.
    void check_now();

    [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }
    // The bytes that were checked last, of what snapshot().drawn says: null before the first check, or empty.
    [[nodiscard]] const std::shared_ptr<const HostBytes>& shared_result() const { return running_.result; }
    [[nodiscard]] const HostBytes& checked_result() const {
        static const HostBytes kNone;
        return running_.result ? *running_.result : kNone;
    }
    // What they were compared with; of another result where that is of another size.
    [[nodiscard]] const HostBytes& defined_result() const { return check_.reference(); }
    [[nodiscard]] const GpuTable& gpus() const { return gpus_; }
    [[nodiscard]] Device& device() { return devices_.device(); }
    [[nodiscard]] const Plan& plan() const { return running_.plan; }
    // Changes with every device that is opened: a frame target made for the previous one is then of no use.
    [[nodiscard]] int device_epoch() const { return devices_.epoch(); }
    // Work beside the frames has the device: prepare() would wait for it.
    [[nodiscard]] bool device_lent() const { return devices_.lent(); }
    // Work is in progress that will change the snapshot soon.
    [[nodiscard]] bool busy() const;
    // The simulated GPU computes the result or the counts; nothing waits for the next frame.
    [[nodiscard]] bool simulating() const;
    // Figures of other versions are being made, beside everything else.
    [[nodiscard]] bool comparing() const { return counts_.others_pending() || wants_other_times(); }
    // The snapshot stays as it is until something else is asked for.
    [[nodiscard]] bool at_rest() const;
    [[nodiscard]] const InputKey& input() const { return input_.key; }
    // What would be asked for of this work, on the device and the GPU of now. Throws UsageError.
    [[nodiscard]] PlannedWork plan_of(const Work& work) const;
    // The latest times of what was prepared, or its estimates, with all that they depend on.
    [[nodiscard]] Record record() const;
    // Times of recorded GPUs, for what has none of its own.
    void replay(std::shared_ptr<const Recordings> recordings);
    [[nodiscard]] const Recordings* recordings() const { return recordings_.get(); }  // null: none
    // Kernels that may be asked for next are being compiled.
    [[nodiscard]] bool compiling_ahead() const { return !kernels_.compiler.idle(); }
    // Kernels come from the files of this folder from now on. Throws Error: nothing has changed then.
    void use_kernel_folder(const std::filesystem::path& folder);
    // Kernels come from files, which may change at any time.
    [[nodiscard]] bool watches_files() const { return !options_.kernel_folder.empty(); }

  private:
    using Clock = std::chrono::steady_clock;

    void use_device(const Work& work);
    void describe_device();
    void use_input(const Work& work);
    void set_problem(Problem problem);
    void choose_target(const Work& work);
    bool refresh_kernels();
    [[nodiscard]] KernelLookup lookup() const;
    [[nodiscard]] KernelLookup good_lookup() const;
    [[nodiscard]] Surroundings surroundings() const;
    void ask(const Work& work, const Beside& beside);
    void ask_for_counts();
    void compile_ahead_when_idle();
    void collect_kernels();
    void describe_built();
    [[nodiscard]] bool passes_trials();
    [[nodiscard]] bool judge_kernels();
    void plan_anew();
    [[nodiscard]] bool adopt_plan(Plan candidate);
    void forget_plan();
    void start_samples();
    void reject(const LaunchFailure& failure);
    void continue_others();
    [[nodiscard]] bool wants_other_times() const;
    void continue_other_times();
    void lose_device(const LaunchFailure& failure);
    void begin_check();
    void continue_check();
    void take_check(ResultCheck::Outcome outcome);
    void publish_counts();
    void publish_times();
    void publish_drawn();

    // Their sources, what the compiler makes of them, and when the files were looked at last.
    struct Kernels {
        explicit Kernels(const EngineOptions& options)
            : library(options.kernel_folder), compiler(options.cache_folder) {}
        KernelLibrary library;
        CompileService compiler;
        GoodKernels good;
        Clock::time_point refreshed{};
    };
    // What other work computes, and how long it takes.
    struct Others {
        OtherRun run;
        OtherTimes times;
    };

    EngineOptions options_;
    GpuTable gpus_;
    Kernels kernels_;
    DeviceHost devices_;
    EngineInput input_;
    std::optional<AskedWork> asked_;  // none: something that it depends on has changed
    std::shared_ptr<StagingStore> staging_ = std::make_shared<StagingStore>();
    CountBook counts_;
    ExampleBook examples_;
    ClockBook clocks_;
    TimeBook times_;
    ResultCheck check_;
    Others others_;
    std::shared_ptr<const Recordings> recordings_;  // null: nothing is replayed
    RunningPlan running_;
    Snapshot snapshot_;
};

}  // namespace ws
