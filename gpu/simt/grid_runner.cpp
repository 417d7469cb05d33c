#include "gpu/simt/grid_runner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "gpu/core/background.h"
#include "gpu/simt/block_runner.h"
#include "gpu/simt/cache_probe.h"
#include "gpu/simt/partitions.h"
#include "gpu/simt/tally.h"

namespace ws::simt {
namespace {

constexpr std::uint64_t kBlocksAtATime = 8;

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
bool run_block(const LaunchOptions& options, BlockRunner& runner, std::uint64_t index, Progress& progress) {
    const auto cancelled = [&] { return options.cancel && *options.cancel; };
    if (!cancelled() && runner.run(index) == BlockRunner::Ending::finished) {
        ++progress.finished;
        if (options.blocks_done) ++*options.blocks_done;
        return true;
    }
    if (cancelled()) progress.cancelled = true;
    progress.stop = true;
    return false;
}

void work(const LaunchContext& context, BlockRunner& runner, WindowCounts& windows, Progress& progress) {
    const LaunchOptions& options = context.options;
    const std::uint64_t count =
        options.blocks.empty() ? blocks_in(context.launch.grid) : options.blocks.size();
    while (!progress.stop) {
        const std::uint64_t first = progress.next.fetch_add(kBlocksAtATime);
        if (first >= count) return;
        const std::uint64_t end = std::min(count, first + kBlocksAtATime);
        for (std::uint64_t i = first; i < end; ++i) {
            if (options.model_caches && i == options.cache_warm_up) runner.worker().caches->forget_counts();
            if (!windows.empty()) runner.worker().partitions = windows.of(i);
            if (!run_block(options, runner, options.blocks.empty() ? i : options.blocks[i], progress)) return;
        }
    }
}

}  // namespace

LaunchOutcome run_grid(const LaunchContext& context, LaunchMemory& memory) {
    const KernelLaunch& launch = context.launch;
    const LaunchOptions& options = context.options;
    const auto start = std::chrono::steady_clock::now();
    FindingLog findings;
    const std::uint64_t all = blocks_in(launch.grid);
    const std::uint64_t count = options.blocks.empty() ? all : options.blocks.size();
    int threads =
        options.threads > 0 ? options.threads : std::max(1, int(std::thread::hardware_concurrency()));
    threads =
        int(std::min<std::uint64_t>(std::uint64_t(threads), (count + kBlocksAtATime - 1) / kBlocksAtATime));
    if (options.model_caches) threads = 1;

    GridOrder grid_order;
    std::vector<std::unique_ptr<BlockRunner>> runners;
    for (int i = 0; i < std::max(1, threads); ++i)
        runners.push_back(std::make_unique<BlockRunner>(context, memory, findings,
                                                        launch.program->has_fences ? &grid_order : nullptr));
    std::unique_ptr<CacheProbe> caches;
    if (options.model_caches) {
        caches = std::make_unique<CacheProbe>(
            context.gpu, launch.program->static_shared_bytes + launch.dynamic_shared_bytes);
        runners.front()->worker().caches = caches.get();
    }
    std::vector<WindowCounts> windows(
        runners.size(), WindowCounts(context.gpu.limits.capability, options.window_blocks, count));
    Progress progress;
    run_on_threads(int(runners.size()), [&](int thread) {
        try {
            work(context, *runners[std::size_t(thread)], windows[std::size_t(thread)], progress);
        } catch (...) {
            progress.stop = true;  // the others need not go on
            throw;
        }
    });

    LaunchOutcome outcome;
    outcome.cancelled = progress.cancelled;
    outcome.stopped = progress.stop && !progress.cancelled;
    if (options.check && !outcome.stopped && !outcome.cancelled && options.blocks.empty())
        memory.find_unwritten(findings);
    KernelCounters& counters = outcome.counters;
    if (options.count) {
        Tally tally(*launch.program);
        for (const auto& runner : runners) tally.add(runner->block_counts(), runner->sites());
        counters = tally.counters();
        for (const WindowCounts& one : windows) one.add_to(counters);
        for (const auto& runner : runners)
            counters.accesses.insert(counters.accesses.end(), runner->examples().begin(),
                                     runner->examples().end());
    }
    counters.kernel = launch.program->kernel;
    counters.gpu = context.gpu.name;
    counters.block = {launch.block[0], launch.block[1]};
    counters.blocks_total = all;
    counters.blocks_simulated = progress.finished;
    counters.warps =
        all * std::uint64_t((launch.block[0] * launch.block[1] * launch.block[2] + kLanes - 1) / kLanes);
    counters.unique_bytes = memory.unique_bytes();
    if (caches) counters.caches = caches->counts();
    counters.findings = findings.take();
    counters.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return outcome;
}

}  // namespace ws::simt
