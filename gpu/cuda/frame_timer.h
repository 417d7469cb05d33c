#pragma once
// Which launches a frame times, how often, and the times of earlier frames: events lie in a ring, and a slot
// is read when its turn comes again, so that nothing waits for the GPU.

#include <array>
#include <optional>

#include "gpu/core/device.h"
#include "gpu/cuda/event_span.h"

namespace ws {

// The events of one frame.
struct TimedFrame {
    static constexpr std::size_t kTotal = kMostSteps;  // the place behind the steps

    bool used = false;
    bool total_from_steps = false;
    std::array<EventSpan, kTotal + 1> spans;  // of each step, then the total
    CudaEvent finished;
    FrameTimes times;  // launches, map and unmap are known at once; milliseconds when the frame is read
};

class FrameTimer {
  public:
    // A plan begins: earlier frames say nothing of it.
    void start();
    // The frame that comes next; `times` gets those of the one that had its place. While the GPU has not
    // finished that one there is none, and what runs is not timed: frames that come faster than the GPU
    // finishes them would never be read otherwise.
    [[nodiscard]] cudaError_t next(TimedFrame*& frame, std::optional<FrameTimes>& times);

    // Whether the next frame times all steps together, else each of them: in turn, but for a slow pipeline,
    // whose total is read from its steps. Not both in one frame: after about 2 ms the GPU lets OpenGL have a
    // turn, and what runs just then looks slower than it is (H200: 0.2 ms).
    [[nodiscard]] bool times_whole(const Plan& plan);
    // Launches that a sample needs to span the events' resolution a thousand times.
    [[nodiscard]] int launches_of(int step) const { return launches_for(step_ms_[std::size_t(step)]); }
    [[nodiscard]] int launches_of_whole() const { return launches_for(step_sum_ms_); }

  private:
    [[nodiscard]] static int launches_for(double last_ms);
    // Of a frame that the GPU has finished.
    [[nodiscard]] cudaError_t read(TimedFrame& frame, std::optional<FrameTimes>& times);

    std::array<TimedFrame, 4> ring_;
    std::size_t next_ = 0;
    PerStep<double> step_ms_{};  // the latest samples, which decide how many launches the next ones take
    double step_sum_ms_ = 0;
    bool time_whole_ = false;
};

}  // namespace ws
