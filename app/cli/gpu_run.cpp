#include "app/cli/gpu_run.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "gpu/core/error.h"

namespace ws {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kWarmUp = std::chrono::milliseconds(100);  // clocks ramp up
constexpr std::uint8_t kGpuPoison = 0xA5;

// The time of all launches; nothing where the frame timed something else.
std::optional<Sample> sample_of(const FrameTimes& times, const Plan& plan) {
    Sample sum;
    for (const Launch& launch : plan.launches) {
        const Sample& step = times.steps[std::size_t(launch.step)];
        if (step.launches == 0) return std::nullopt;
        sum.ms += step.ms;
        sum.launches = std::max(sum.launches, step.launches);
    }
    return sum;
}

}  // namespace

GpuRun run_measured(Device& device, const Plan& plan, const Problem& problem, int samples) {
    device.set_problem(problem);
    GpuRun run;
    run.device = shown_name(device.facts());
    run.restored = plan.changes_input();
    std::vector<int> all(plan.lab->buffers.size());
    std::iota(all.begin(), all.end(), 0);
    Result<std::vector<HostBytes>> made = device.run_once(plan, kGpuPoison, all);
    if (!made.ok()) throw Error("the kernel cannot be run on " + run.device, "", made.message());
    run.buffers = std::move(made.value());
    HostTarget target;
    std::vector<double> ms;
    const auto start = Clock::now();
    while (int(ms.size()) < samples) {
        const FrameResult frame = device.run(plan, target);
        if (frame.failure)
            throw Error("the kernel cannot be launched on " + run.device, frame.failure->code,
                        frame.failure->message);
        if (!frame.times || Clock::now() - start < kWarmUp) continue;
        const std::optional<Sample> sample = sample_of(*frame.times, plan);
        if (!sample) continue;
        ms.push_back(sample->ms);
        run.launches = sample->launches;
    }
    run.ms = statistics_of(std::move(ms));
    return run;
}

Plan without_idle_changes(Plan plan, const Problem& problem, const std::vector<HostBytes>& after) {
    for (Launch& launch : plan.launches) {
        for (Argument& argument : launch.arguments) {
            if (argument.kind != Argument::Kind::both) continue;
            const PixelBytes& before = *problem.content_of(argument.buffer);
            const HostBytes& left = after[std::size_t(argument.buffer)];
            if (std::equal(before.begin(), before.end(), left.begin(), left.end()))
                argument.kind = Argument::Kind::input;
        }
    }
    return plan;
}

}  // namespace ws
