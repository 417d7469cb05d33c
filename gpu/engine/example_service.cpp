#include "gpu/engine/example_service.h"

#include <algorithm>
#include <atomic>

#include "gpu/core/error.h"

namespace ws {

void ExampleService::ask(std::vector<ExampleJob> jobs) {
    std::vector<JobQueue<ExampleKey, Examples>::Entry> entries;
    for (ExampleJob& job : jobs) {
        const ExampleKey key = job.key;
        auto work = [this, job = std::move(job)](const std::stop_token& stop) { return run(job, stop); };
        entries.push_back({key, std::move(work)});
    }
    queue_.ask(std::move(entries));
}

std::vector<std::pair<ExampleKey, ExampleOutcome>> ExampleService::poll() {
    std::vector<std::pair<ExampleKey, ExampleOutcome>> ready;
    for (auto& [key, result] : queue_.poll()) {
        ExampleOutcome outcome = result.ok() ? ExampleOutcome{std::move(result.value()), {}}
                                             : ExampleOutcome{nullptr, result.message()};
        ready.emplace_back(std::move(key), std::move(outcome));
    }
    return ready;
}

// Nothing is counted, and one thread is enough: a block takes about a millisecond.
ExampleService::Examples ExampleService::run(const ExampleJob& job, const std::stop_token& stop) {
    const Launch& launch = job.job.launch;
    StagedLaunch staged = stager_.stage(job.job);
    simt::LaunchOptions options = simt::step_options();
    std::atomic<bool> cancel{false};
    const std::stop_callback on_stop(stop, [&] { cancel = true; });
    options.cancel = &cancel;
    options.count = false;
    options.threads = 1;
    options.example_block =
        std::uint64_t(job.key.block_y) * std::uint64_t(launch.grid.width) + std::uint64_t(job.key.block_x);
    options.example_warps = true;
    options.blocks = {options.example_block};
    simt::LaunchOutcome outcome = staged.gpu.launch(staged.launch, options);
    if (outcome.cancelled) return nullptr;
    if (outcome.stopped) throw Error(outcome.counters.findings.front().message);
    auto made = std::make_shared<BlockExamples>();
    made->key = job.key;
    made->accesses = std::move(outcome.counters.accesses);
    name_buffers(launch, staged.launch, made->accesses);
    std::stable_sort(made->accesses.begin(), made->accesses.end(),
                     [](const AccessExample& a, const AccessExample& b) { return a.warp < b.warp; });
    std::vector<bool> seen(staged.launch.program->code.size());
    for (const AccessExample& access : made->accesses) {
        if (seen[std::size_t(access.site)]) continue;
        seen[std::size_t(access.site)] = true;
        made->instructions.push_back(access);
    }
    return made;
}

}  // namespace ws
