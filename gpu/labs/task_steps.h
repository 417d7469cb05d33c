#pragma once
// What a run of an experiment has to do, counted in single measurements: its progress, and where it stops.

#include "gpu/core/experiment.h"

namespace ws {

class TaskSteps {
  public:
    TaskSteps(const Task& task, int total) : task_(task), total_(total) { task_.progress(0, total_); }
    // False once it is to end.
    [[nodiscard]] bool go_on() {
        if (task_.stop.stop_requested()) return false;
        task_.progress(done_++, total_);
        return true;
    }

  private:
    const Task& task_;
    int total_;
    int done_ = 0;
};

}  // namespace ws
