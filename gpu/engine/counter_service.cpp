#include "gpu/engine/counter_service.h"

#include <atomic>

#include "gpu/analysis/occupancy.h"
#include "gpu/core/error.h"
#include "gpu/simt/sample.h"

namespace ws {
namespace {

constexpr int kCheckedElements = 1 << 11;  // the checks take longer than counting

// What is returned after a stop is asked for is dropped, whatever it is.
std::shared_ptr<const KernelCounters> count(const CountJob& job, LaunchStager& stager,
                                            const std::stop_token& stop) {
    const Launch& launch = job.launch;
    const Lab& lab = *job.problem.lab;
    const Extent size = job.problem.size;
    StagedLaunch staged = stager.stage(job);
    simt::LaunchOptions options = simt::step_options();
    std::atomic<bool> cancel{false};
    const std::stop_callback on_stop(stop, [&] { cancel = true; });
    options.cancel = &cancel;
    // By what is known before the assembler has seen the kernel.
    const KernelResources resources{launch.block.threads(), 0,
                                    int(staged.launch.program->static_shared_bytes), false, launch.cache};
    options.window_blocks = resident_blocks(occupancy_of(resources, job.key.gpu.limits), job.key.gpu);
    const simt::Layout layout = simt::layout_of(lab, launch, size);
    simt::LaunchOutcome outcome = simt::count_sample(staged.gpu, staged.launch, options, layout);
    if (outcome.cancelled) return nullptr;
    // What a kernel did until it was stopped says nothing of a whole run.
    if (outcome.stopped) throw Error(outcome.counters.findings.front().message);
    options.check = true;
    options.count = false;
    simt::Layout checked_layout = layout;
    checked_layout.least_blocks = simt::Layout().least_blocks;
    const simt::LaunchOutcome checked = simt::launch_sample(
        staged.gpu, staged.launch, options, simt::choose_blocks(checked_layout, kCheckedElements));
    if (checked.cancelled) return nullptr;
    outcome.counters.unique_bytes = std::uint64_t(least_bytes(lab, launch.arguments, size));
    outcome.counters.findings = checked.counters.findings;
    name_buffers(launch, staged.launch, outcome.counters.accesses);
    outcome.counters.kernel = launch.kernel->source_name;
    return std::make_shared<const KernelCounters>(std::move(outcome.counters));
}

}  // namespace

void CounterService::Queue::ask(std::vector<CountJob> asked) {
    std::vector<JobQueue<CountKey, Counters>::Entry> entries;
    for (CountJob& job : asked) {
        const CountKey key = job.key;
        auto work = [this, job = std::move(job)](const std::stop_token& stop) {
            return count(job, stager, stop);
        };
        entries.push_back({key, std::move(work)});
    }
    jobs.ask(std::move(entries));
}

void CounterService::ask(std::vector<CountJob> wanted, std::vector<CountJob> others) {
    wanted_.ask(std::move(wanted));
    others_.ask(std::move(others));
}

std::vector<std::pair<CountKey, CountOutcome>> CounterService::poll() {
    std::vector<std::pair<CountKey, CountOutcome>> ready;
    for (Queue* queue : {&wanted_, &others_}) {
        for (auto& [key, result] : queue->jobs.poll()) {
            CountOutcome outcome = result.ok() ? CountOutcome{std::move(result.value()), {}}
                                               : CountOutcome{nullptr, result.message()};
            ready.emplace_back(std::move(key), std::move(outcome));
        }
    }
    return ready;
}

}  // namespace ws
