#pragma once
// A launch by hand-made counts, and what is estimated of it.

#include <memory>

#include "gpu/analysis/estimate.h"
#include "gpu/analysis/occupancy.h"
#include "gpu/analysis/profiles.h"
#include "gpu/core/figures.h"

namespace ws::testing {

// 8.6, 10 multiprocessors at 1000 MHz, 100 GB/s; 1000 blocks of 8 warps; a byte in and a byte out for each of
// 2 560 000 pixels.
inline constexpr double kLeast = 2 * 2'560'000;

inline StepResult made(const InstructionCounts& total, int registers = 32, int shared = 0) {
    StepResult result;
    result.key.gpu = GpuTable().named("RTX 3060");
    result.key.gpu.multiprocessors = 10;
    result.key.gpu.clock_mhz = 1000;
    result.key.gpu.bandwidth_gb_s = 100;
    result.key.input.size = {1600, 1600};
    result.key.launch.block = {32, 8};
    KernelCounters counters;
    counters.blocks_total = counters.blocks_simulated = 10000;
    counters.warps = 80000;
    counters.total = total;
    counters.total.thread_instructions =
        counters.total.thread_instructions ? counters.total.thread_instructions : 32 * total.instructions;
    counters.unique_bytes = std::uint64_t(kLeast);
    counters.caches = {1000, 500, 500, 500};  // the second level holds what is read again
    counters.lines = {{7, counters.total}};
    result.occupancy = occupancy_of({256, registers, shared}, result.key.gpu.limits);
    result.estimate = estimate_time(counters, *result.occupancy, result.key.gpu);
    result.counters = std::make_shared<const KernelCounters>(std::move(counters));
    return result;
}

// A load and a store of a byte for each thread, as they should be.
inline InstructionCounts plain() {
    InstructionCounts c;
    c.instructions = 2'000'000;
    c.pipes[std::size_t(Pipe::lsu)] = 160'000;
    c.global_load = {80'000, 80'000, 2'560'000, 2'560'000, 0};
    c.global_store = {80'000, 80'000, 2'560'000, 2'560'000, 0};
    return c;
}

}  // namespace ws::testing
