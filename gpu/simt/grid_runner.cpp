#include "gpu/simt/grid_runner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>

#include "gpu/core/background.h"
#include "gpu/simt/block_order.h"
#include "gpu/simt/block_runner.h"
#include "gpu/simt/launch_logs.h"
#include "gpu/simt/launch_memory.h"
#include "gpu/simt/observer_sets.h"

namespace ws::simt {
namespace {

// Those that are traced are few, and take long.
std::uint64_t blocks_at_a_time(const LaunchOptions& options) {
    return options.trace.trace ? 1 : 8;
}

struct Progress {
    std::atomic<std::uint64_t> next{0};
    std::atomic<std::uint64_t> finished{0};
    std::atomic<bool> stop{false};
    std::atomic<bool> cancelled{false};
};

std::uint64_t blocks_in(const Shape& grid) {
    return std::uint64_t(grid[0]) * std::uint64_t(grid[1]) * std::uint64_t(grid[2]);
}

// False if the launch ends here.
template <class Runner>
bool run_block(const LaunchOptions& options, Runner& runner, std::uint64_t turn, Progress& progress) {
    const auto cancelled = [&] { return options.cancel && *options.cancel; };
    const std::uint64_t index = options.blocks.empty() ? turn : options.blocks[turn];
    if (!cancelled() && runner.run(index, turn)) {
        ++progress.finished;
        if (options.blocks_done) ++*options.blocks_done;
        return true;
    }
    if (cancelled()) progress.cancelled = true;
    progress.stop = true;
    return false;
}

template <class Runner>
void work(const LaunchContext& context, Runner& runner, Progress& progress) {
    const LaunchOptions& options = context.options;
    const std::uint64_t count = blocks_to_run(context);
    const std::uint64_t at_a_time = blocks_at_a_time(options);
    while (!progress.stop) {
        const std::uint64_t first = progress.next.fetch_add(at_a_time);
        if (first >= count) return;
        const std::uint64_t end = std::min(count, first + at_a_time);
        for (std::uint64_t i = first; i < end; ++i) {
            if (!run_block(options, runner, i, progress)) return;
        }
    }
}

std::size_t workers_for(const LaunchContext& context, LaunchMemory& memory) {
    const LaunchOptions& options = context.options;
    // What malloc gives, and what caches keep, depends on the order of blocks; and how far they go may.
    if (options.model_caches || context.launch.program->uses_heap) return 1;
    if (options.trace.trace && !blocks_stand_alone(context.launch, memory.regions())) return 1;
    const int most = options.threads > 0 ? options.threads : processors();
    const std::uint64_t at_a_time = blocks_at_a_time(options);
    const std::uint64_t turns = (blocks_to_run(context) + at_a_time - 1) / at_a_time;
    return std::clamp<std::uint64_t>(turns, 1, std::uint64_t(most));
}

// With the handlers that tell this observer.
template <class Observer>
BoundProgram bound_for(const Program& program) {
    BoundProgram made{program, program.code};
    for (Instruction& instruction : made.code) {
        if (!instruction.observed) continue;
        const Handlers& handlers = instruction.observed->of[index_of_observer<Observer>()];
        instruction.full = handlers.full;
        instruction.partial = handlers.partial;
    }
    return made;
}

template <class Observer>
LaunchOutcome run_observed(const LaunchContext& context, LaunchMemory& memory) {
    using Runner = BlockRunner<Observer>;
    const auto start = std::chrono::steady_clock::now();
    const KernelLaunch& launch = context.launch;
    LaunchLogs logs;
    typename Observer::Shared shared(context, memory, logs.findings);
    const BoundProgram bound = bound_for<Observer>(*launch.program);
    std::vector<std::unique_ptr<Runner>> runners(workers_for(context, memory));
    for (std::unique_ptr<Runner>& runner : runners)
        runner = std::make_unique<Runner>(context, bound, memory, logs, shared);
    Progress progress;
    run_on_threads(int(runners.size()), [&](int thread) {
        try {
            work(context, *runners[std::size_t(thread)], progress);
            runners[std::size_t(thread)]->tell_all();
        } catch (...) {
            progress.stop = true;  // the others need not go on
            throw;
        }
    });

    LaunchOutcome outcome;
    outcome.printed = logs.prints.text();
    outcome.printed_cut = logs.prints.is_cut();
    outcome.cancelled = progress.cancelled;
    outcome.stopped = progress.stop && !progress.cancelled;
    for (const auto& runner : runners) shared.add(runner->observer());
    shared.report(outcome);
    KernelCounters& counters = outcome.counters;
    counters.kernel = launch.program->kernel;
    counters.gpu = context.gpu.name;
    counters.block = {launch.block[0], launch.block[1]};
    counters.blocks_total = blocks_in(launch.grid);
    counters.blocks_simulated = progress.finished;
    counters.warps =
        counters.blocks_total *
        std::uint64_t((launch.block[0] * launch.block[1] * launch.block[2] + kLanes - 1) / kLanes);
    counters.findings = logs.findings.take();
    counters.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return outcome;
}

}  // namespace

std::uint64_t blocks_to_run(const LaunchContext& context) {
    return context.options.blocks.empty() ? blocks_in(context.launch.grid) : context.options.blocks.size();
}

LaunchOutcome run_grid(const LaunchContext& context, LaunchMemory& memory) {
    return with_observer(context.options,
                         [&]<class Observer> { return run_observed<Observer>(context, memory); });
}

}  // namespace ws::simt
