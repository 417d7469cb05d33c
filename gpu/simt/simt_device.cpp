#include "gpu/simt/simt_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "gpu/core/background.h"

namespace ws::simt {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::milliseconds(10);  // for a small result in the same frame
constexpr std::uint8_t kPoison = 0xA5;

double elapsed_ms(Clock::time_point since) {
    return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

std::uint64_t blocks_of(const Plan& plan) {
    std::uint64_t sum = 0;
    for (const Launch& launch : plan.launches)
        sum += std::uint64_t(launch.grid.width) * std::uint64_t(launch.grid.height);
    return sum;
}

}  // namespace

SimtDevice::SimtDevice(const GpuProfile& gpu) {
    become(gpu);
}

void SimtDevice::become(const GpuProfile& gpu) {
    gpu_ = gpu;
    facts_.kind = DeviceKind::simt;
    facts_.can = {.needs_kernels = true, .runs_ptx = true, .shows_progress = true, .becomes_any_gpu = true};
    facts_.name = "simulated " + gpu.name;
    facts_.profile = gpu;
    facts_.facts = {{"Name", facts_.name},
                    {"Compute capability", gpu.limits.capability.text()},
                    {"Multiprocessors", std::to_string(gpu.multiprocessors)},
                    {"Shared memory banks", std::to_string(gpu.limits.shared_banks)},
                    {"Runs on", fmt::format("{} threads of the CPU, warp by warp", processors())}};
}

Progress SimtDevice::progress() const {
    const std::lock_guard lock(mutex_);
    Progress progress;
    progress.complete = finished_ != nullptr;
    progress.done = progress.complete     ? 1
                    : blocks_in_all_ == 0 ? 0
                                          : double(blocks_done_) / double(blocks_in_all_);
    progress.milliseconds = milliseconds_;
    return progress;
}

std::shared_ptr<const HostBytes> SimtDevice::result() const {
    const std::lock_guard lock(mutex_);
    if (!finished_) return nullptr;
    return {finished_, &finished_->bytes};
}

void SimtDevice::stop_work() {
    job_ = {};
    const std::lock_guard lock(mutex_);
    finished_.reset();
    drawn_.reset();
    failure_.reset();
    generation_ = 0;
}

void SimtDevice::set_problem(Problem problem) {
    stop_work();
    problem_ = std::move(problem);
}

void SimtDevice::start(const Plan& plan) {
    stop_work();
    std::unique_lock lock(mutex_);
    generation_ = plan.generation;
    blocks_done_ = 0;
    blocks_in_all_ = blocks_of(plan);
    milliseconds_ = 0;
    job_ = Job<Done>(
        [this, task = Task{plan, gpu_, problem_}](const std::stop_token& stop) mutable {
            run_task(task, stop);
            return Done{};
        },
        Priority::gives_way);
    news_.wait_for(lock, kPatience, [this] { return finished_ || failure_; });
}

FrameResult SimtDevice::run(const Plan& plan, FrameTarget& target) {
    if (plan.generation != generation_) start(plan);
    std::shared_ptr<const Finished> finished;
    FrameResult result;
    result.drawn = false;
    {
        const std::lock_guard lock(mutex_);
        result.failure = failure_;
        finished = finished_;
    }
    if (result.failure || !finished || finished == drawn_) return result;
    drawn_ = finished;
    if (finished->is_picture) draw(*finished, target);
    result.drawn = finished->is_picture;
    return result;
}

void SimtDevice::draw(const Finished& finished, FrameTarget& target) const {
    target.resize(problem_.size);
    std::copy(finished.bytes.begin(), finished.bytes.end(), target.map(nullptr));
    target.unmap(nullptr);
}

void SimtDevice::run_task(Task& task, const std::stop_token& stop) {
    std::atomic<bool> cancel{false};
    const std::stop_callback on_stop(stop, [&] { cancel = true; });
    const bool is_picture = task.plan.shows_picture();
    const auto shown = [&](PlanMemory& memory) {
        return task.plan.shows >= 0 ? memory.take(task.plan.shows) : HostBytes{};
    };
    try {
        const auto start = Clock::now();
        std::optional<PlanMemory> whole = compute(task, task.problem, kPoison, &blocks_done_, &cancel);
        if (!whole) return;
        HostBytes bytes = shown(*whole);
        const std::lock_guard lock(mutex_);
        milliseconds_ = elapsed_ms(start);
        finished_ = std::make_shared<const Finished>(Finished{std::move(bytes), is_picture});
        news_.notify_all();
    } catch (const RefusedLaunch& refused) {
        fail({task.step, refused.code(), refused.reason(), false});
    } catch (...) {
        fail({task.step, "the simulated GPU stopped", caught_message(), false});
    }
}

void SimtDevice::fail(LaunchFailure failure) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
    news_.notify_all();
}

std::optional<PlanMemory> SimtDevice::compute(Task& task, const Problem& problem, std::uint8_t poison,
                                              std::atomic<std::uint64_t>* done,
                                              const std::atomic<bool>* cancel) {
    PlanMemory memory(problem);
    for (const Launch& launch : task.plan.launches) {
        task.step = launch.step;
        const Result<std::shared_ptr<const Program>> program = programs_.find(launch.kernel);
        if (!program.ok()) throw Error(program.message());
        Launch sized = launch;
        cover(sized, problem.size);
        Gpu gpu(task.gpu);
        const KernelLaunch staged = memory.stage(gpu, program.value(), sized, poison);
        LaunchOptions options = step_options();
        options.count = false;
        options.cancel = cancel;
        options.blocks_done = done;
        const LaunchOutcome outcome = gpu.launch(staged, options);
        if (outcome.cancelled) return std::nullopt;
        if (outcome.stopped) throw Error(outcome.counters.findings.front().message);
    }
    return memory;
}

Result<std::vector<HostBytes>> SimtDevice::run_once(const Plan& plan, std::uint8_t poison,
                                                    const std::vector<int>& buffers) {
    try {
        Task task{plan, gpu_, problem_};
        std::optional<PlanMemory> memory = compute(task, problem_, poison, nullptr, nullptr);
        std::vector<HostBytes> made;
        made.reserve(buffers.size());
        for (const int buffer : buffers) made.push_back(memory->take(buffer));
        return made;
    } catch (...) {
        return Result<std::vector<HostBytes>>::failure(caught_message());
    }
}

}  // namespace ws::simt
