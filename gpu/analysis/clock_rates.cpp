#include "gpu/analysis/clock_rates.h"

#include "gpu/core/throughput.h"

namespace ws {
namespace {

// What bench/clock_rates.cu measured on an H200 (docs/measurements.md has all of it). Of other GPUs latencies
// are those of Jia et al. (arXiv 1903.07486) for 7.5 and of Luo et al. (arXiv 2402.13499) for 8.0 and 8.9,
// which 8.6 and 12.0 share; the rest is taken as on the H200, device memory in proportion to its bandwidth.
constexpr double kMeasuredBytes = 4916.7e3 / 1980 / 132;  // an H200's bandwidth, a clock of a multiprocessor
constexpr Level kMeasuredL2{1 / 1.0, 1 / 0.56, 32 / 16.5, 1 / 0.42, 1 / 0.28, 2.8, 0.74};
// Parts of sectors meet in the second level, so that whole ones go on.
constexpr Level kMeasuredMemory{32 / 16.1, 64 / 16.1, 32 / 14.0, 32 / 14.0, 32 / 14.0, 2.8, 0.74};
struct LatencyRow {
    int capability;
    double l1, shared, l2, memory;
};
constexpr LatencyRow kLatencies[] = {
    {75, 32, 23, 188, 434}, {80, 38, 29, 262, 466},  {86, 43, 30, 273, 542},
    {90, 43, 29, 283, 689}, {120, 43, 30, 273, 542},
};

Level scaled(Level level, double factor) {
    for (double* clocks : {&level.read_sector, &level.read_line, &level.write_sector, &level.write_part,
                           &level.write_line, &level.atomic_sector, &level.atomic_lane})
        *clocks *= factor;
    return level;
}

double over(double lanes_of_multiprocessor, int partitions) {
    return lanes_of_multiprocessor > 0 ? 32.0 * partitions / lanes_of_multiprocessor : 1;
}

}  // namespace

ClockRates clock_rates(const GpuProfile& gpu) {
    const Throughput rate = throughput_of(gpu.limits.capability);
    const int partitions = gpu.limits.partitions > 0 ? gpu.limits.partitions : 4;
    ClockRates made;
    const auto set = [&](MachinePipe pipe, double clocks) { made.pipe_clocks[std::size_t(pipe)] = clocks; };
    made.pipe_clocks.fill(1);
    set(MachinePipe::fma, over(rate.fma, partitions));
    set(MachinePipe::fma_heavy, over(64, partitions));
    set(MachinePipe::fp16, over(64, partitions));
    set(MachinePipe::alu, over(rate.alu, partitions));
    set(MachinePipe::fp64, over(rate.fp64, partitions));
    set(MachinePipe::xu, over(rate.xu, partitions));
    set(MachinePipe::uniform, 2);
    set(MachinePipe::adu, 4);
    set(MachinePipe::cbu, 2);
    set(MachinePipe::unknown, 2);
    LatencyRow row = kLatencies[0];
    for (const LatencyRow& one : kLatencies)
        if (gpu.limits.capability.number() >= one.capability) row = one;
    made.latency.l1 = row.l1;
    made.latency.shared = row.shared;
    made.latency.l2 = row.l2;
    made.latency.memory = row.memory;
    made.access.sector = 1 / rate.l1_sectors;
    made.access.texture_lane = 1 / rate.texture;
    made.l2 = kMeasuredL2;
    made.memory = kMeasuredMemory;
    if (gpu.multiprocessors > 0 && gpu.clock_mhz > 0 && gpu.bandwidth_gb_s > 0) {
        const double bytes = gpu.bandwidth_gb_s * 1e3 / gpu.clock_mhz / gpu.multiprocessors;
        made.memory = scaled(kMeasuredMemory, kMeasuredBytes / bytes);
    }
    return made;
}

}  // namespace ws
