#pragma once
// What is counted and estimated of a kernel by the clock of a multiprocessor, as a table has it.

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>

#include "gpu/analysis/estimate.h"
#include "gpu/analysis/occupancy.h"
#include "gpu/engine/traced_kernel.h"
#include "gpu/simt/sample.h"

namespace ws::testing {

// Of one launch, or of several after each other.
struct ClockRow {
    double ms = 0, ms_by_bounds = 0;
    double least_bytes = 0;  // that must be moved
    double device_bytes = 0;
    double instructions = 0, sectors = 0, wavefronts = 0;
    std::array<double, kParts> busy_ms{};
    StateClocks states{};

    ClockRow& operator+=(const ClockRow& other) {
        ms += other.ms;
        ms_by_bounds += other.ms_by_bounds;
        least_bytes += other.least_bytes;
        device_bytes += other.device_bytes;
        instructions += other.instructions;
        sectors += other.sectors;
        wavefronts += other.wavefronts;
        for (std::size_t i = 0; i < kParts; ++i) busy_ms[i] += other.busy_ms[i];
        for (std::size_t i = 0; i < kWarpStates; ++i) states[i] += other.states[i];
        return *this;
    }
};

// `counted` are the counts of the launch, with the bytes that it must move.
inline ClockRow clock_row(const CompiledKernel& kernel, simt::Gpu& gpu, const simt::KernelLaunch& launch,
                          const KernelCounters& counted) {
    const GpuProfile& profile = gpu.profile();
    const auto [x, y, z] = launch.block;
    const KernelResources resources{x * y * z, kernel.report.registers, int(simt::shared_bytes_of(launch)),
                                    false, launch.cache};
    const Estimate estimate =
        estimate_time(counted, occupancy_of(resources, profile.limits), profile, kernel.report.code);
    const std::atomic<bool> cancel{false};
    const ClockedLaunch clocked =
        TracedKernel::make({kernel, gpu, launch, counted, estimate.device_bytes}, cancel)->launch(profile);
    ClockRow row;
    row.ms = clocked.ms;
    row.ms_by_bounds = estimate.ms;
    row.least_bytes = double(counted.unique_bytes);
    row.device_bytes = estimate.device_bytes;
    row.instructions = clocked.instructions;
    const InstructionCounts& c = counted.total;
    row.sectors = double(c.global_load.sectors + c.global_store.sectors);
    row.wavefronts = double(c.shared_load.wavefronts + c.shared_store.wavefronts);
    for (const Bound& bound : clocked.bounds) row.busy_ms[std::size_t(bound.part)] += bound.ms;
    for (const StateClocks& line : clocked.at_line) {
        for (std::size_t i = 0; i < kWarpStates; ++i) row.states[i] += line[i];
    }
    return row;
}

// The part of the GPU that works the longest, latency left out.
inline Part busiest(const ClockRow& row) {
    const auto end = row.busy_ms.begin() + std::ptrdiff_t(Part::latency);
    return Part(std::max_element(row.busy_ms.begin(), end) - row.busy_ms.begin());
}

}  // namespace ws::testing
