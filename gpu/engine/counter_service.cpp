#include "gpu/engine/counter_service.h"

#include <atomic>

#include "gpu/core/error.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/pipeline/requests.h"
#include "gpu/simt/sample.h"

namespace ws {
namespace {

constexpr int kCheckedPixels = 1 << 11;  // the checks take longer than counting

}  // namespace

void CounterService::ask(std::vector<CountJob> jobs) {
    std::vector<JobQueue<CountKey, Counters>::Entry> entries;
    for (CountJob& job : jobs) {
        const CountKey key = job.key;
        auto work = [this, job = std::move(job)](const std::stop_token& stop) { return count(job, stop); };
        entries.push_back({key, std::move(work)});
    }
    queue_.ask(std::move(entries));
}

std::vector<std::pair<CountKey, CountOutcome>> CounterService::poll() {
    std::vector<std::pair<CountKey, CountOutcome>> ready;
    for (auto& [key, result] : queue_.poll()) {
        CountOutcome outcome = result.ok() ? CountOutcome{std::move(result.value()), {}}
                                           : CountOutcome{nullptr, result.message()};
        ready.emplace_back(std::move(key), std::move(outcome));
    }
    return ready;
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

// What is returned after a stop is asked for is dropped, whatever it is.
CounterService::Counters CounterService::count(const CountJob& job, const std::stop_token& stop) {
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
    std::atomic<bool> cancel{false};
    const std::stop_callback on_stop(stop, [&] { cancel = true; });
    options.cancel = &cancel;
    simt::LaunchOutcome outcome = simt::count_sample(gpu, staged, options, launch.tile, size, source_bytes);
    if (outcome.cancelled) return nullptr;
    // What a kernel did until it was stopped says nothing of a whole run.
    if (outcome.stopped) throw Error(outcome.counters.findings.front().message);
    options.check = true;
    options.count = false;
    const simt::LaunchOutcome checked = simt::launch_sample(
        gpu, staged, options, simt::choose_blocks(launch.grid, launch.tile, size, kCheckedPixels));
    if (checked.cancelled) return nullptr;
    outcome.counters.unique_bytes = std::uint64_t(least_bytes(launch.stage, size));
    outcome.counters.findings = checked.counters.findings;
    outcome.counters.kernel = launch.kernel->source_name;
    return std::make_shared<const KernelCounters>(std::move(outcome.counters));
}

}  // namespace ws
