#include "gpu/engine/run_to_end.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

namespace ws {
namespace {

using namespace std::chrono_literals;

constexpr auto kUnbelieved = 10s;  // after which it does not get better

}  // namespace

void require_kernels(const Snapshot& snapshot) {
    for (const StepSnapshot& step : snapshot.steps) {
        if (!step.runs || step.built.state != CompileState::failed) continue;
        throw Error("the " + std::string(step.name) + " kernel does not compile", "", step.built.error);
    }
}

void run_to_end(Engine& engine, const Work& work, int samples, FrameTarget& target) {
    engine.prepare(work);
    engine.wait_for_kernels();
    const Snapshot& snapshot = engine.snapshot();
    if (snapshot.device.can.needs_kernels) require_kernels(snapshot);
    const auto timed = [&] {
        if (snapshot.device.can.shows_progress)
            return snapshot.run.progress && snapshot.run.progress->complete;
        bool enough = snapshot.times.total_ms.samples >= samples;
        for (const StepSnapshot& step : snapshot.steps)
            enough &= !step.runs || step.times.ms.samples >= samples;
        return enough;
    };
    auto believed = std::chrono::steady_clock::now();
    int samples_before = 0;
    while (!timed()) {
        const bool drawn = engine.run(target);
        const auto now = std::chrono::steady_clock::now();
        if (snapshot.times.refused.empty() || snapshot.times.total_ms.samples > samples_before)
            believed = now;
        samples_before = snapshot.times.total_ms.samples;
        if (now - believed > kUnbelieved)
            throw Error("no time is taken", snapshot.times.refused,
                        "let the GPU cool down, or look what else runs on it");
        if (snapshot.run.progress && !drawn) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (snapshot.run.failure) {
            throw Error(fmt::format("the {} kernel cannot be launched",
                                    work.lab->steps[std::size_t(snapshot.run.failure->step)].name),
                        snapshot.run.failure->code, snapshot.run.failure->message);
        }
    }
    engine.check_now();
    if (snapshot.run.progress) engine.wait_for_counts();
}

namespace {

// Measured, or estimated where it is simulated; 0 where a step has no time.
double ms_of_steps(const Snapshot& snapshot) {
    double ms = 0;
    for (const StepSnapshot& step : snapshot.steps) {
        if (!step.runs) continue;
        const double time =
            snapshot.run.progress ? (step.estimate() ? step.estimate()->ms : 0) : step.times.ms.median;
        if (time <= 0) return 0;
        ms += time;
    }
    return ms;
}

}  // namespace

std::optional<double> bandwidth_gb_s(const Snapshot& snapshot) {
    if (!snapshot.work.lab->bandwidth) return std::nullopt;
    const double ms = ms_of_steps(snapshot);
    return ms > 0 ? std::optional(least_bytes(snapshot) / ms / 1e6) : std::nullopt;
}

std::optional<double> operations_per_clock(const Snapshot& snapshot) {
    double operations = 0;
    for (const StepSnapshot& step : snapshot.steps) {
        if (step.runs) operations += snapshot.work.lab->steps[std::size_t(step.step)].operations;
    }
    operations *= double(snapshot.problem.size.pixels());
    // At the clock that was measured beside the times, where there is one.
    GpuProfile gpu = snapshot.run.progress ? snapshot.target.gpu : snapshot.device.profile;
    if (!snapshot.run.progress && snapshot.times.clock.high > 0) gpu.clock_mhz = snapshot.times.clock.high;
    const double rate = operations_per_clock(operations, ms_of_steps(snapshot), gpu);
    return rate > 0 ? std::optional(rate) : std::nullopt;
}

}  // namespace ws
