#include "gpu/engine/plan_samples.h"

namespace ws {
namespace {

using namespace std::chrono_literals;

constexpr auto kWarmUp = 100ms;  // samples before are thrown away: clocks ramp up
constexpr auto kRest = 250ms;  // after which they may have come down again (an H200's stayed up for a second)

}  // namespace

void PlanSamples::start() {
    steps_ = {};
    launches_ = {};
    for (SampleWindow* window : {&total_, &one_pass_, &map_, &unmap_}) window->clear();
    clock_ = {};
    refused_ = 0;
    since_ = Clock::now();
}

void PlanSamples::begin_run() {
    const Clock::time_point now = Clock::now();
    if (now - last_run_ > kRest) busy_since_ = now;
}

bool PlanSamples::take(const FrameTimes& times, const ClockReading& clock) {
    if (Clock::now() - busy_since_ < kWarmUp) return false;
    if (!clock.slowed.empty()) {
        ++refused_;
        why_refused_ = clock.slowed;
        return true;
    }
    if (clock.mhz) clock_.add(*clock.mhz);
    for (std::size_t step = 0; step < kMostSteps; ++step) {
        const Sample& sample = times.steps[step];
        if (sample.launches == 0) continue;
        steps_[step].add(sample.ms);
        launches_[step] = sample.launches;
    }
    if (times.total.launches > 0) total_.add(times.total.ms);
    if (times.one_pass.launches > 0) one_pass_.add(times.one_pass.ms);
    map_.add(times.map_ms);
    unmap_.add(times.unmap_ms);
    return true;
}

}  // namespace ws
