#pragma once
// Sweeps over block shapes, sizes and knobs beside the frames, with an engine of their own.

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/core/job.h"
#include "gpu/core/sweep_result.h"
#include "gpu/engine/engine.h"
#include "gpu/engine/sweep.h"

namespace ws {

class SweepService {
  public:
    // `records`: where points are appended and those of earlier sweeps are found; empty: nowhere.
    SweepService(EngineOptions options, std::filesystem::path records)
        : options_(std::move(options)), records_(std::move(records)) {}

    // Begins, or goes on with what is missing; another one that runs is stopped. Several subjects are over
    // the same sizes or knob: all at one place before the next. `picture` of a lab that takes one.
    void start(std::vector<SweepSubject> subjects, const Picture& picture, const std::string& picture_name);
    // What is done stays.
    void stop();
    // Takes what was done since; true if anything was.
    bool update();
    [[nodiscard]] bool running() const { return job_.active(); }
    // Null if there is none of it.
    [[nodiscard]] const SweepResult* find(const SweepSubject& subject) const;

  private:
    // Between the threads.
    struct Post {
        std::mutex mutex;
        std::vector<std::pair<std::size_t, SweepPoint>> points;  // each of which subject
        int done = 0, all = 0;
    };
    bool take_points();  // true if there were any
    void end(const std::string& problem);
    [[nodiscard]] SweepResult& result_of(const SweepSubject& subject);

    EngineOptions options_;
    std::filesystem::path records_;
    std::vector<SweepResult> results_;    // the latest last
    std::vector<SweepSubject> subjects_;  // of the running sweep, or the last
    std::shared_ptr<Post> post_;
    std::chrono::steady_clock::time_point started_;
    int known_ = 0;  // points of the running sweep that were recorded earlier
    Job<Done> job_;
};

// The most bytes of a buffer for which sizes are swept beside the frames.
inline constexpr std::size_t kMostSweptBytes = std::size_t(1) << 28;

// What recordings have of the subject on the GPU that `planned` is for: no sweep has to run.
[[nodiscard]] SweepResult recorded_sweep(const Recordings& recordings, const SweepSubject& subject,
                                         const PlannedWork& planned);

}  // namespace ws
