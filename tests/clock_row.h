#pragma once
// What is counted and estimated of a kernel by the clock of a multiprocessor, as a table has it.

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/analysis/estimate.h"
#include "gpu/analysis/occupancy.h"
#include "gpu/core/error.h"
#include "gpu/engine/traced_kernel.h"
#include "gpu/sass/machine_code_reader.h"
#include "gpu/simt/sample.h"
#include "gpu_figures.h"
#include "stall_samples.h"

namespace ws::testing {

// Of one launch, or of several after each other.
struct ClockRow {
    double ms = 0, ms_by_bounds = 0;
    bool bounded = true;     // it has an estimate by bounds
    int traces = 0;          // of its launches
    double least_bytes = 0;  // that must be moved
    double device_bytes = 0;
    double instructions = 0, sectors = 0, wavefronts = 0;
    std::array<double, kParts> busy_ms{};
    // Milliseconds that its warps are in each state, on average: the launches' shares by how long they take,
    // as the GPU's are weighed, however many warps they have.
    std::array<double, kWarpStates> states{};
    std::vector<StalledLaunch> launches;  // one after the other

    ClockRow& operator+=(const ClockRow& other) {
        ms += other.ms;
        ms_by_bounds += other.ms_by_bounds;
        bounded &= other.bounded;
        least_bytes += other.least_bytes;
        device_bytes += other.device_bytes;
        instructions += other.instructions;
        sectors += other.sectors;
        wavefronts += other.wavefronts;
        traces += other.traces;
        for (std::size_t i = 0; i < kParts; ++i) busy_ms[i] += other.busy_ms[i];
        for (std::size_t i = 0; i < kWarpStates; ++i) states[i] += other.states[i];
        launches.insert(launches.end(), other.launches.begin(), other.launches.end());
        return *this;
    }
};

// What the clock is asked for: a launch of machine code, and what counting the same of its PTX gave, with the
// bytes that it must move.
inline ClockJob clock_job(const Launch& launch, const KernelCounters& counted, const Estimate& estimate,
                          CountKey key) {
    ClockJob job;
    job.key.counts = std::move(key);
    job.launch = launch;
    job.counters = std::make_shared<const KernelCounters>(counted);
    job.device_bytes = estimate.device_bytes;
    return job;
}

inline Estimate estimate_by_bounds(const Launch& launch, const StagedLaunch& staged,
                                   const KernelCounters& counted) {
    const GpuProfile& profile = staged.gpu.profile();
    const CompileReport& report = launch.kernel->report;
    const KernelResources resources{launch.block.threads() * launch.threads()[2], report.registers,
                                    int(simt::shared_bytes_of(staged.launch)), false, launch.cache};
    return estimate_time(counted, occupancy_of(resources, profile.limits), profile, report.code);
}

// Of a launch by its name; `stage` is as the clock has it.
inline ClockRow clock_row(const std::string& name, const ClockJob& job, const Estimate& estimate,
                          const std::function<StagedLaunch()>& stage) {
    const std::atomic<bool> cancel{false};
    int traces = 0;
    const auto count_and_stage = [&](const Launch&) {
        ++traces;
        return stage();
    };
    const GpuProfile& gpu = job.key.counts.gpu;
    const auto traced = TracedKernel::make(job, count_and_stage, cancel);
    const ClockedLaunch clocked = traced->launch(gpu);
    ClockRow row;
    row.ms = clocked.ms;
    row.traces = traces;
    row.ms_by_bounds = estimate.ms;
    row.bounded = estimate.ms > 0;
    row.least_bytes = double(job.counters->unique_bytes);
    row.device_bytes = estimate.device_bytes;
    row.instructions = clocked.instructions;
    const InstructionCounts& c = job.counters->total;
    row.sectors = double(c.global_load.sectors + c.global_store.sectors);
    row.wavefronts = double(c.shared_load.wavefronts + c.shared_store.wavefronts);
    for (const Bound& bound : clocked.bounds) row.busy_ms[std::size_t(bound.part)] += bound.ms;
    const StateClocks states = all_states(clocked);
    const auto all = double(clocks_of(states));
    for (std::size_t i = 0; i < kWarpStates; ++i)
        row.states[i] = row.ms * double(states[i]) / std::max(1.0, all);
    const CompiledKernel& kernel = *job.launch.kernel;
    const auto code = read_machine_code(kernel.binary, kernel.entry);
    if (code.ok())
        row.launches.push_back(
            stalled_launch(name, code.value(), clocked.at_line, traced->sampled_lines(gpu)));
    return row;
}

// What limits it: latency, too, where no part works for most of the time.
inline Limiter limiter_of(const ClockRow& row) {
    BusyParts busy;
    for (std::size_t i = 0; i < std::size_t(Part::latency); ++i)
        busy.add(kPartNames[i], 100 * row.busy_ms[i] / row.ms);
    return busy.limiter();
}

// Whether the launch that Nsight Compute counted, `us` apart from it, was the same run as the one that was
// measured: where one took so much longer that the states of what it has more are beyond what may be off,
// the two had other things to wait for (caches that were flushed between passes, a lower clock).
inline bool is_same_run(const GpuFigures& gpu, double us) {
    return 100 * std::abs(gpu.counted_us - us) <= kSharePoints * std::max(gpu.counted_us, us);
}

// How far shares of the warps' time are off, in points: the worst of the three states that the GPU has most
// of.
inline double states_off(const ClockRow& row, const GpuFigures& gpu) {
    std::vector<std::size_t> order(kWarpStates);
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return gpu.states[a] > gpu.states[b]; });
    const double all = std::accumulate(row.states.begin(), row.states.end(), 0.0);
    double worst = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const double share = all > 0 ? row.states[order[i]] / all : 0;
        worst = std::max(worst, 100 * std::abs(share - gpu.states[order[i]]));
    }
    return worst;
}

// Of rows of a table: |estimated / measured - 1|, and the larger of the ratio and its inverse; whether the
// limiter is the GPU's, and the states of the warps.
struct TableError {
    double sum = 0, worst = 1;
    int times = 0, beyond = 0;  // a factor of 1.4
    int within = 0;             // a hundredth
    int limiters = 0, same_limiter = 0, same_states = 0;
    int same_runs = 0, same_states_of_same_runs = 0;  // of the limiters'
    // Of rows by the points that their worst line is off.
    struct RowsOff {
        int within = 0;
        double sum = 0;
        void add(double off) {
            within += off <= kSharePoints;
            sum += off;
        }
    };
    int sampled_rows = 0;
    RowsOff as_samples, by_time;
    SampledLines lines;  // by launch

    void add_ratio(double ratio) {
        const double factor = std::max(ratio, 1 / ratio);
        sum += std::abs(ratio - 1);
        worst = std::max(worst, factor);
        beyond += factor > 1.4;
        within += std::abs(ratio - 1) <= 0.01;
        ++times;
    }
    void add(const ClockRow& row, const GpuFigures& gpu, double us) {
        const bool states = states_off(row, gpu) <= kSharePoints;
        const bool same_run = is_same_run(gpu, us);
        ++limiters;
        same_limiter += limiter_of(row) == gpu.busy.limiter();
        same_states += states;
        same_runs += same_run;
        same_states_of_same_runs += same_run && states;
    }
    // By how many points the stalls, sampled as on the GPU, are off at the lines with most of them, in the
    // worst of the row's launches; none where none was sampled often enough.
    std::optional<double> add_lines(const ClockRow& row, const StallSamples& samples) {
        std::optional<double> off;
        double off_by_time = 0;
        for (const StalledLaunch& launch : row.launches) {
            const auto gpu = samples.of(launch);
            if (!gpu) continue;
            lines.add(launch, *gpu);
            off = std::max(off.value_or(0), worst_line(launch.as_samples, gpu->median()));
            off_by_time = std::max(off_by_time, worst_line(launch.by_time, gpu->median()));
        }
        if (off) {
            ++sampled_rows;
            as_samples.add(*off);
            by_time.add(off_by_time);
        }
        return off;
    }
    [[nodiscard]] double mean() const { return times > 0 ? sum / times : 0; }
    void print(const char* of) const {
        std::printf("%s: %d times, mean error %.1f %%, worst factor %.2f, %d beyond 1.4, %d within 1 %%", of,
                    times, 100 * mean(), worst, beyond, within);
        if (limiters > 0)
            std::printf(
                "; the limiter is the GPU's in %d of %d, the states in %d; of the %d that took as long when "
                "they "
                "were counted as measured, within a tenth, the states in %d",
                same_limiter, limiters, same_states, same_runs, same_states_of_same_runs);
        if (sampled_rows > 0)
            std::printf(
                "; the lines in %d of %d, off by %.1f points on average (by the warps' time in %d, off by "
                "%.1f)",
                as_samples.within, sampled_rows, as_samples.sum / sampled_rows, by_time.within,
                by_time.sum / sampled_rows);
        std::printf("\n");
        if (lines.launches == 0) return;
        std::printf("of %d launches the clock has the lines of %d; one distance has those of the others of",
                    lines.launches, lines.clock);
        for (const int alone : lines.alone) std::printf(" %d", alone);
        std::printf("\n");
    }
};

inline std::string ratio_text(double ours, double gpu) {
    if (ours <= 0 && gpu <= 0) return "–";
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", gpu > 0 ? ours / gpu : INFINITY);
    return text;
}

// A line of the table in docs/measurements.md: counted over counted, then times.
inline void print_row(const std::string& name, const ClockRow& row, const GpuFigures& gpu, double us,
                      std::optional<double> lines) {
    const std::string off = lines ? std::to_string(std::lround(*lines)) : "–";
    std::printf("| %s | %s | %s | %s | %s | %.1f | %.1f | %.2f | %s | %s | %.0f | %s |\n", name.c_str(),
                ratio_text(row.instructions, gpu.instructions).c_str(),
                ratio_text(row.sectors, gpu.sectors).c_str(),
                ratio_text(row.wavefronts, gpu.wavefronts).c_str(),
                ratio_text(row.device_bytes, gpu.memory_bytes).c_str(), 1e3 * row.ms, us, 1e3 * row.ms / us,
                std::string(name_of(limiter_of(row))).c_str(),
                std::string(name_of(gpu.busy.limiter())).c_str(), states_off(row, gpu), off.c_str());
    std::fflush(stdout);
}

}  // namespace ws::testing
