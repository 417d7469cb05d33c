#include "gpu/simt/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>

#include "gpu/core/background.h"
#include "gpu/core/error.h"
#include "gpu/simt/block_runner.h"
#include "gpu/simt/cache_probe.h"
#include "gpu/simt/launch_limits.h"
#include "gpu/simt/tally.h"

namespace ws::simt {
namespace {

constexpr std::uint64_t kBufferAlign = 512;
constexpr std::uint64_t kBufferGap = 1 << 20;  // so that running over an end meets nothing
constexpr std::uint64_t kBlocksAtATime = 8;

std::uint64_t aligned(std::uint64_t at, std::uint64_t align) {
    return (at + align - 1) / align * align;
}

// The buffers as regions, with their shadows.
struct Memory {
    std::vector<Region> regions;
    std::vector<std::vector<std::uint16_t>> shadows;
    std::vector<std::vector<std::uint8_t>> marks;
    std::vector<std::vector<WriteRecord>> records;
    std::vector<std::uint8_t> globals;
    std::vector<std::uint8_t> constant_bytes;
    Region constants;

    explicit Memory(const LaunchSetup& setup) {
        globals = setup.program->globals;
        constant_bytes = setup.program->constants;
        for (std::size_t i = 0; i < setup.buffers.size(); ++i) {
            const Buffer& buffer = setup.buffers[i];
            Region region{buffer_address(setup, i), buffer.bytes, buffer.data, nullptr, nullptr,
                          buffer.writable,          int(i)};
            if (setup.check && buffer.writable) watch(setup, region, buffer.initialised);
            if (setup.track_touched)
                region.touched = marks.emplace_back(buffer.bytes / 32 + 1, std::uint8_t(0)).data();
            regions.push_back(region);
        }
        if (!globals.empty()) {
            Region region{kModuleBase, globals.size(), reinterpret_cast<std::byte*>(globals.data()),
                          nullptr,     nullptr,        true,
                          -1};
            if (setup.check) watch(setup, region, true);
            regions.push_back(region);
        }
        constants = {kConstantBase,
                     constant_bytes.size(),
                     reinterpret_cast<std::byte*>(constant_bytes.data()),
                     nullptr,
                     nullptr,
                     false,
                     -1};
    }

    void watch(const LaunchSetup& setup, Region& region, bool given) {
        region.shadow = shadows.emplace_back(region.size, given ? kGiven : kUnwritten).data();
        if (setup.program->has_fences) region.records = records.emplace_back(region.size).data();
    }

    [[nodiscard]] std::uint64_t unique_bytes() const {
        std::uint64_t sectors = 0;
        for (const Region& region : regions) {
            if (region.touched)
                sectors +=
                    std::uint64_t(std::count(region.touched, region.touched + region.size / 32 + 1, 1));
        }
        return sectors * 32;
    }

    // Buffers that came without data and were written in part only.
    void find_unwritten(const LaunchSetup& setup, FindingLog& findings) const {
        for (const Region& region : regions) {
            if (!region.shadow || region.index < 0 || setup.buffers[std::size_t(region.index)].initialised)
                continue;
            const std::uint16_t* end = region.shadow + region.size;
            const std::uint16_t* begin = region.shadow;
            const std::uint16_t* first = std::find(begin, end, kUnwritten);
            if (first == end) continue;
            const auto missing = std::uint64_t(std::count(first, end, kUnwritten));
            if (missing == region.size) continue;  // no output of this kernel
            findings.add(Finding::Kind::unwritten, 0, ~0ull - 1,
                         fmt::format("{} of {} bytes of buffer {} are never written, the first at offset {}",
                                     missing, region.size, region.index, first - begin));
        }
    }
};

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
bool run_block(const LaunchSetup& setup, BlockRunner& runner, std::uint64_t index, Progress& progress) {
    const auto cancelled = [&] { return setup.cancel && *setup.cancel; };
    if (!cancelled() && runner.run(index) == BlockRunner::Ending::finished) {
        ++progress.finished;
        if (setup.blocks_done) ++*setup.blocks_done;
        return true;
    }
    if (cancelled()) progress.cancelled = true;
    progress.stop = true;
    return false;
}

void work(const LaunchSetup& setup, BlockRunner& runner, Progress& progress) {
    const std::uint64_t count = setup.blocks.empty() ? blocks_in(setup.grid) : setup.blocks.size();
    while (!progress.stop) {
        const std::uint64_t first = progress.next.fetch_add(kBlocksAtATime);
        if (first >= count) return;
        const std::uint64_t end = std::min(count, first + kBlocksAtATime);
        for (std::uint64_t i = first; i < end; ++i) {
            if (setup.model_caches && i == setup.cache_warm_up) runner.worker().caches->forget_counts();
            if (!run_block(setup, runner, setup.blocks.empty() ? i : setup.blocks[i], progress)) return;
        }
    }
}

}  // namespace

std::uint64_t buffer_address(const LaunchSetup& setup, std::size_t index) {
    std::uint64_t address = kGlobalBase;
    for (std::size_t i = 0; i < index; ++i)
        address = aligned(address + setup.buffers[i].bytes + kBufferGap, kBufferAlign);
    return address;
}

void set_parameter(LaunchSetup& setup, std::size_t index, std::uint64_t bits, std::uint32_t bytes) {
    const Program& program = *setup.program;
    if (index >= program.parameters.size())
        throw Error(fmt::format("the kernel '{}' has {} parameters, not {}", program.kernel,
                                program.parameters.size(), index + 1));
    const KernelParameter& parameter = program.parameters[index];
    if (parameter.bytes != bytes)
        throw Error(fmt::format("parameter {} of the kernel '{}' has {} bytes, the argument {}", index,
                                program.kernel, parameter.bytes, bytes));
    setup.parameters.resize(program.parameter_bytes);
    std::memcpy(setup.parameters.data() + parameter.at, &bits, bytes);
}

LaunchOutcome launch(const LaunchSetup& setup) {
    refuse_impossible(setup);
    const auto start = std::chrono::steady_clock::now();
    Memory memory(setup);
    FindingLog findings;
    const std::uint64_t all = blocks_in(setup.grid);
    const std::uint64_t count = setup.blocks.empty() ? all : setup.blocks.size();
    int threads = setup.threads > 0 ? setup.threads : std::max(1, int(std::thread::hardware_concurrency()));
    threads =
        int(std::min<std::uint64_t>(std::uint64_t(threads), (count + kBlocksAtATime - 1) / kBlocksAtATime));
    if (setup.model_caches) threads = 1;

    GridOrder grid_order;
    std::vector<std::unique_ptr<BlockRunner>> runners;
    for (int i = 0; i < std::max(1, threads); ++i)
        runners.push_back(std::make_unique<BlockRunner>(setup, memory.regions, memory.constants, findings,
                                                        setup.program->has_fences ? &grid_order : nullptr));
    std::unique_ptr<CacheProbe> caches;
    if (setup.model_caches) {
        caches = std::make_unique<CacheProbe>(
            setup.gpu, setup.program->static_shared_bytes + setup.dynamic_shared_bytes);
        runners.front()->worker().caches = caches.get();
    }
    Progress progress;
    run_on_threads(int(runners.size()), [&](int thread) {
        try {
            work(setup, *runners[std::size_t(thread)], progress);
        } catch (...) {
            progress.stop = true;  // the others need not go on
            throw;
        }
    });

    LaunchOutcome outcome;
    outcome.cancelled = progress.cancelled;
    outcome.stopped = progress.stop && !progress.cancelled;
    if (setup.check && !outcome.stopped && !outcome.cancelled && setup.blocks.empty())
        memory.find_unwritten(setup, findings);
    KernelCounters& counters = outcome.counters;
    if (setup.count) {
        Tally tally(*setup.program);
        for (const auto& runner : runners) tally.add(runner->block_counts(), runner->sites());
        counters = tally.counters();
        for (const auto& runner : runners) {
            counters.partitions.resize(runner->worker().partitions.size());
            for (std::size_t i = 0; i < counters.partitions.size(); ++i)
                counters.partitions[i] += runner->worker().partitions[i];
        }
        for (const auto& runner : runners)
            counters.accesses.insert(counters.accesses.end(), runner->examples().begin(),
                                     runner->examples().end());
    }
    counters.kernel = setup.program->kernel;
    counters.gpu = setup.gpu.name;
    counters.block = {setup.block[0], setup.block[1]};
    counters.blocks_total = all;
    counters.blocks_simulated = progress.finished;
    counters.warps =
        all * std::uint64_t((setup.block[0] * setup.block[1] * setup.block[2] + kLanes - 1) / kLanes);
    counters.unique_bytes = memory.unique_bytes();
    if (caches) counters.caches = caches->counts();
    counters.findings = findings.take();
    counters.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return outcome;
}

}  // namespace ws::simt
