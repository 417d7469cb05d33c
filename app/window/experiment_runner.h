#pragma once
// An experiment on a thread of its own: its controls, and what it has found out last.

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>

#include "app/views/experiment_scene.h"
#include "gpu/core/job.h"
#include "gpu/engine/sessions.h"
#include "gpu/engine/version_figures.h"

namespace ws {

class ExperimentRunner {
  public:
    // Shows an experiment as it begins, and runs it; null: none. What runs is stopped, and not waited for.
    void show(const Experiment* experiment, const SessionOptions& options);
    // With these values. What was found out with them stands; else it runs, and what stood there of others
    // stays as such until it ends.
    void show(const Experiment* experiment, const SessionOptions& options, const ControlValues& values);
    // What was found out with other values stays, as such; what nobody measures runs again at once.
    void set(int control, std::int64_t value);
    void step(int control, int by);
    void set_all(const ControlValues& values);
    // Over its first axis, where it has one.
    void run();
    // Keeps what is there by then.
    void stop() { stop_.request_stop(); }
    // Takes what has ended since.
    void update();

    [[nodiscard]] bool busy() const { return job_.active(); }
    // Null where no experiment is shown.
    [[nodiscard]] const ExperimentScene* scene() const { return scene_.experiment ? &scene_ : nullptr; }

  private:
    struct Progress {
        std::atomic<int> done{0};
        std::atomic<int> total{0};
    };
    ExperimentScene scene_;
    SessionOptions options_;
    std::shared_ptr<CountedVersions> known_;  // of its versions; null where files of kernels may change
    std::shared_ptr<Progress> progress_;
    std::stop_source stop_;
    bool again_ = false;    // it is to run once nothing runs any more
    bool discard_ = false;  // what runs is of another experiment
    Job<Outcome> job_;      // the last: it ends before what it uses
};

}  // namespace ws
