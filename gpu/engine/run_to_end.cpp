#include "gpu/engine/run_to_end.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "gpu/core/peak.h"

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
    // Until it runs, progress is that of earlier work.
    if (snapshot.device.can.shows_progress) (void)engine.run(target);
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

// Of all that runs, measured or estimated; 0 where a part is not known.
double ms_of_all(const Snapshot& snapshot) {
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

constexpr double kPerMillisecond = 1e6;  // bytes or operations a ms that are 10^9 a second

}  // namespace

std::optional<double> bandwidth_gb_s(const Snapshot& snapshot) {
    const double ms = ms_of_all(snapshot);
    if (!snapshot.work.lab->bandwidth || ms <= 0) return std::nullopt;
    return least_bytes(snapshot) / ms / kPerMillisecond;
}

std::optional<ArithmeticRate> arithmetic_rate(const Snapshot& snapshot) {
    const auto operations = snapshot.work.lab->native.float_operations;
    const double ms = ms_of_all(snapshot);
    if (!operations || ms <= 0) return std::nullopt;
    const double rate = operations(snapshot.problem.size) / ms / kPerMillisecond;
    const double peak = snapshot.device.can.is_reference ? 0 : peak_gflop_s(snapshot.target.gpu);
    return ArithmeticRate{rate, peak > 0 ? 100 * rate / peak : 0};
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
    const double rate = operations_per_clock(operations, ms_of_all(snapshot), gpu);
    return rate > 0 ? std::optional(rate) : std::nullopt;
}

}  // namespace ws
