#include "gpu/engine/counter_service.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "gpu/core/background.h"
#include "gpu/core/error.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/pipeline/requests.h"
#include "gpu/simt/sample.h"

namespace ws {
namespace {

constexpr int kCheckedPixels = 1 << 11;  // the checks take longer than counting

}  // namespace

CounterService::CounterService() : thread_([this] { work(); }) {}

CounterService::~CounterService() {
    {
        const std::lock_guard lock(mutex_);
        quit_ = true;
        cancel_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

void CounterService::ask(std::vector<CountJob> jobs) {
    const std::lock_guard lock(mutex_);
    const auto runs = [this](const CountJob& job) { return running_ && job.key == *running_; };
    if (running_ && std::none_of(jobs.begin(), jobs.end(), runs)) cancel_ = true;
    // One that is being given up is counted anew.
    if (!cancel_) std::erase_if(jobs, runs);
    waiting_ = std::move(jobs);
    wake_.notify_all();
}

std::vector<std::pair<CountKey, CountOutcome>> CounterService::poll() {
    const std::lock_guard lock(mutex_);
    return std::exchange(ready_, {});
}

bool CounterService::busy() const {
    const std::lock_guard lock(mutex_);
    return !waiting_.empty() || running_ || !ready_.empty();
}

void CounterService::wait() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return waiting_.empty() && !running_; });
}

void CounterService::work() {
    give_way();
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [this] { return quit_ || !waiting_.empty(); });
        if (quit_) return;
        const CountJob job = std::move(waiting_.front());
        waiting_.erase(waiting_.begin());
        cancel_ = false;
        running_ = job.key;
        lock.unlock();
        std::optional<CountOutcome> outcome = count(job);
        lock.lock();
        running_.reset();
        if (outcome && !cancel_) ready_.emplace_back(job.key, std::move(*outcome));
        idle_.notify_all();
    }
}

// None if it was given up. Whatever fails, the thread continues.
std::optional<CountOutcome> CounterService::count(const CountJob& job) {
    try {
        std::optional<KernelCounters> counters = counters_of(job);
        if (!counters) return std::nullopt;
        return CountOutcome{std::make_shared<const KernelCounters>(std::move(*counters)), {}};
    } catch (...) {
        return CountOutcome{nullptr, caught_message()};
    }
}

const std::uint8_t* CounterService::input_of(const CountJob& job) {
    if (job.key.input == View::original) return job.picture->bytes.data();
    if (!(prepared_for_ == job.key.picture)) {
        prepared_for_ = {};
        gray_ = reference_picture(*job.picture, View::gray, true);
        blurred_ = reference_picture(*job.picture, View::blur, true);
        prepared_for_ = job.key.picture;
    }
    return (job.key.input == View::blur ? blurred_ : gray_).bytes.data();
}

std::optional<KernelCounters> CounterService::counters_of(const CountJob& job) {
    const Launch& launch = job.launch;
    const Extent size = job.picture->size;
    const auto program = programs_.find(launch.kernel);
    if (!program.ok()) throw Error(program.message());
    GrayImage target(size);
    const int source_bytes = reads_rgba(launch.stage) ? 4 : 1;
    simt::Gpu gpu(job.key.gpu);
    const simt::KernelLaunch staged = simt::stage_launch(gpu, program.value(), launch, size, input_of(job),
                                                         source_bytes, target.bytes.data());
    simt::LaunchOptions options = simt::stage_options();
    options.cancel = &cancel_;
    simt::LaunchOutcome outcome = simt::count_sample(gpu, staged, options, launch.tile, size, source_bytes);
    if (outcome.cancelled) return std::nullopt;
    // What a kernel did until it was stopped says nothing of a whole run.
    if (outcome.stopped) throw Error(outcome.counters.findings.front().message);
    options.check = true;
    options.count = false;
    const simt::LaunchOutcome checked = simt::launch_sample(
        gpu, staged, options, simt::choose_blocks(launch.grid, launch.tile, size, kCheckedPixels));
    if (checked.cancelled) return std::nullopt;
    outcome.counters.unique_bytes = std::uint64_t(least_bytes(launch.stage, size));
    outcome.counters.findings = checked.counters.findings;
    outcome.counters.kernel = launch.kernel->source_name;
    return std::move(outcome.counters);
}

}  // namespace ws
