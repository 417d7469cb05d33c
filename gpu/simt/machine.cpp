#include "gpu/simt/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>

#include "gpu/core/error.h"
#include "gpu/simt/block_runner.h"
#include "gpu/simt/cache_probe.h"
#include "gpu/simt/tally.h"

namespace ws::simt {
namespace {

constexpr std::uint64_t kBufferAlign = 512;
constexpr std::uint64_t kBufferGap = 1 << 20;  // so that running over an end meets nothing
constexpr std::uint64_t kBlocksAtATime = 8;

std::uint64_t aligned(std::uint64_t at, std::uint64_t align) {
    return (at + align - 1) / align * align;
}

void refuse_impossible(const LaunchSetup& setup) {
    const GpuLimits& limits = setup.gpu.limits;
    std::uint64_t threads = 1;
    for (std::size_t i = 0; i < 3; ++i) {
        if (setup.grid[i] < 1 || setup.block[i] < 1)
            throw Error("the grid and the block need at least one element a side");
        threads *= std::uint64_t(setup.block[i]);
    }
    const int threads_at_most = std::min(kMaxThreadsPerBlock, limits.threads_per_block);
    if (threads > std::uint64_t(threads_at_most) || setup.block[2] > 64)
        throw Error(fmt::format("a block of {} x {} x {} threads is too large for {}", setup.block[0],
                                setup.block[1], setup.block[2], setup.gpu.name),
                    "", fmt::format("at most {} threads, and 64 along z", threads_at_most));
    const std::uint64_t shared = setup.program->static_shared_bytes + setup.dynamic_shared_bytes;
    const auto most =
        std::uint64_t(std::max(limits.shared_bytes_per_block, limits.shared_bytes_per_multiprocessor));
    if (shared > most)
        throw Error(fmt::format("{} bytes of shared memory are too much for {}", shared, setup.gpu.name), "",
                    fmt::format("a block may have {}", most));
}

// The buffers as regions, with their shadows.
struct Memory {
    std::vector<Region> regions;
    std::vector<std::vector<std::uint8_t>> extras;  // shadows and marks
    std::vector<std::uint8_t> globals;
    std::vector<std::uint8_t> constant_bytes;
    Region constants;

    explicit Memory(const LaunchSetup& setup) {
        globals = setup.program->globals;
        constant_bytes = setup.program->constants;
        const auto extra = [&](std::uint64_t size, std::uint8_t value) {
            extras.emplace_back(size, value);
            return extras.back().data();
        };
        for (std::size_t i = 0; i < setup.buffers.size(); ++i) {
            const Buffer& buffer = setup.buffers[i];
            Region region{buffer_address(setup, i), buffer.bytes, buffer.data, nullptr, nullptr,
                          buffer.writable,          int(i)};
            if (setup.check && buffer.writable)
                region.shadow = extra(buffer.bytes, buffer.initialised ? 1 : 0);
            if (setup.track_touched) region.touched = extra(buffer.bytes / 32 + 1, 0);
            regions.push_back(region);
        }
        if (!globals.empty()) {
            Region region{kModuleBase, globals.size(), reinterpret_cast<std::byte*>(globals.data()),
                          nullptr,     nullptr,        true,
                          -1};
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
            if (!region.shadow || setup.buffers[std::size_t(region.index)].initialised) continue;
            const std::uint8_t* end = region.shadow + region.size;
            const std::uint8_t* begin = region.shadow;
            const std::uint8_t* first = std::find(begin, end, std::uint8_t(0));
            if (first == end) continue;
            const auto missing = std::uint64_t(std::count(first, end, std::uint8_t(0)));
            if (missing == region.size) continue;  // no output of this kernel
            findings.add(Finding::Kind::unwritten, 0, ~0ull - 1,
                         fmt::format("{} of {} bytes of buffer {} are never written, the first at offset {}",
                                     missing, region.size, region.index, first - begin));
        }
    }
};

struct Progress {
    std::atomic<std::uint64_t> next{0};
    std::atomic<bool> stop{false};
    std::atomic<bool> cancelled{false};
};

void work(const LaunchSetup& setup, BlockRunner& runner, Progress& progress) {
    const std::uint64_t all =
        std::uint64_t(setup.grid[0]) * std::uint64_t(setup.grid[1]) * std::uint64_t(setup.grid[2]);
    const std::uint64_t count = setup.blocks.empty() ? all : setup.blocks.size();
    while (!progress.stop) {
        const std::uint64_t first = progress.next.fetch_add(kBlocksAtATime);
        if (first >= count) return;
        const std::uint64_t end = std::min(count, first + kBlocksAtATime);
        for (std::uint64_t i = first; i < end; ++i) {
            if (setup.model_caches && i == setup.cache_warm_up) runner.worker().caches->forget_counts();
            if (setup.cancel && *setup.cancel) {
                progress.cancelled = true;
                progress.stop = true;
                return;
            }
            if (runner.run(setup.blocks.empty() ? i : setup.blocks[i]) == BlockRunner::Ending::stopped) {
                if (setup.cancel && *setup.cancel) progress.cancelled = true;
                progress.stop = true;
                return;
            }
        }
        if (setup.blocks_done) *setup.blocks_done += end - first;
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
    const std::uint64_t all =
        std::uint64_t(setup.grid[0]) * std::uint64_t(setup.grid[1]) * std::uint64_t(setup.grid[2]);
    const std::uint64_t count = setup.blocks.empty() ? all : setup.blocks.size();
    int threads = setup.threads > 0 ? setup.threads : std::max(1, int(std::thread::hardware_concurrency()));
    threads =
        int(std::min<std::uint64_t>(std::uint64_t(threads), (count + kBlocksAtATime - 1) / kBlocksAtATime));
    if (setup.model_caches) threads = 1;

    std::vector<std::unique_ptr<BlockRunner>> runners;
    for (int i = 0; i < std::max(1, threads); ++i)
        runners.push_back(std::make_unique<BlockRunner>(setup, memory.regions, memory.constants, findings));
    std::unique_ptr<CacheProbe> caches;
    if (setup.model_caches) {
        caches = std::make_unique<CacheProbe>(
            setup.gpu, setup.program->static_shared_bytes + setup.dynamic_shared_bytes);
        runners.front()->worker().caches = caches.get();
    }
    Progress progress;
    std::vector<std::thread> helpers;
    for (std::size_t i = 1; i < runners.size(); ++i)
        helpers.emplace_back([&, i] { work(setup, *runners[i], progress); });
    work(setup, *runners.front(), progress);
    for (std::thread& helper : helpers) helper.join();

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
    counters.blocks_simulated = count;
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
