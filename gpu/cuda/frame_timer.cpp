#include "gpu/cuda/frame_timer.h"

#include <algorithm>

namespace ws {
namespace {

constexpr double kSampleSpanMs = 0.5;  // events resolve half a microsecond
constexpr int kMostLaunches = 64;
constexpr double kOneSampleMs = 4.0;  // a slower pipeline is timed once a frame, not once more as a whole

}  // namespace

void FrameTimer::start() {
    step_ms_ = {};
    step_sum_ms_ = 0;
    for (TimedFrame& frame : ring_) frame.used = false;
}

cudaError_t FrameTimer::next(TimedFrame*& frame, std::optional<FrameTimes>& times) {
    frame = nullptr;
    TimedFrame& oldest = ring_[next_];
    if (oldest.used) {
        const cudaError_t status = cudaEventQuery(oldest.finished.get());
        if (status == cudaErrorNotReady) {
            cudaGetLastError();
            return cudaSuccess;
        }
        oldest.used = false;
        if (status != cudaSuccess) return status;
        const cudaError_t read_status = read(oldest, times);
        if (read_status != cudaSuccess) return read_status;
    }
    frame = &oldest;
    next_ = (next_ + 1) % ring_.size();
    return cudaSuccess;
}

bool FrameTimer::times_whole(const Plan& plan) {
    const bool slow = step_sum_ms_ > kOneSampleMs || plan.changes_input();
    time_whole_ = !time_whole_ && step_sum_ms_ > 0 && !slow;
    return time_whole_;
}

int FrameTimer::launches_for(double last_ms) {
    return last_ms > 0 ? std::clamp(int(kSampleSpanMs / last_ms) + 1, 1, kMostLaunches) : 1;
}

cudaError_t FrameTimer::read(TimedFrame& frame, std::optional<FrameTimes>& out) {
    FrameTimes& times = frame.times;
    if (times.total.launches > 0) {
        const cudaError_t read = frame.spans[TimedFrame::kTotal].read(times.total);
        if (read != cudaSuccess) return read;
    } else {
        step_sum_ms_ = 0;
        for (std::size_t step = 0; step < kMostSteps; ++step) {
            Sample& sample = times.steps[step];
            if (sample.launches == 0) continue;
            const cudaError_t read = frame.spans[step].read(sample);
            if (read != cudaSuccess) return read;
            step_ms_[step] = sample.ms;
            step_sum_ms_ += sample.ms;
        }
        if (frame.total_from_steps || step_sum_ms_ > kOneSampleMs) times.total = {step_sum_ms_, 1};
    }
    out = times;
    return cudaSuccess;
}

}  // namespace ws
