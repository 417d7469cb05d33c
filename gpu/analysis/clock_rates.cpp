#include "gpu/analysis/clock_rates.h"

#include <algorithm>
#include <cmath>

#include "gpu/core/calibration.h"
#include "gpu/core/throughput.h"

namespace ws {
namespace {

constexpr double kBytesOfSector = 32;
constexpr double kOfUnit =
    1;  // of a latency: the load/store unit, to which the clock gives a time of its own

// Latencies of GPUs that nobody has calibrated: of Jia et al. (arXiv 1903.07486) for 7.5, of Luo et al.
// (arXiv 2402.13499) for 8.0 and 8.9, which 8.6 and 12.0 share.
struct LatencyRow {
    int capability;
    double l1, shared, l2, memory;
};
constexpr LatencyRow kLatencies[] = {
    {75, 32, 23, 188, 434},
    {80, 38, 29, 262, 466},
    {86, 43, 30, 273, 542},
    {120, 43, 30, 273, 542},
};
const LatencyRow& latency_row(ComputeCapability capability) {
    const LatencyRow* row = kLatencies;
    for (const LatencyRow& one : kLatencies)
        if (capability.number() >= one.capability) row = &one;
    return *row;
}

double over(double lanes_of_multiprocessor, int partitions) {
    return lanes_of_multiprocessor > 0 ? 32.0 * partitions / lanes_of_multiprocessor : 1;
}

// Without any calibration.
ClockRates by_capability(const GpuProfile& gpu) {
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
    set(MachinePipe::cbu, 2);
    set(MachinePipe::unknown, 2);
    const LatencyRow& row = latency_row(gpu.limits.capability);
    made.latency.l1 = row.l1;
    made.latency.shared = row.shared;
    made.latency.l2 = row.l2;
    made.latency.memory = row.memory;
    made.access.sector = 1 / rate.l1_sectors;
    made.access.texture_lane = 1 / rate.texture;
    return made;
}

// A pipe has a power of two lanes: what was measured beyond them is the loop around the instructions.
double clocks_of_pipe(double measured) {
    return std::exp2(std::round(std::log2(measured)));
}

// Bytes of device memory that come a clock of a multiprocessor, in theory; 0: not known.
double memory_bytes(double gb_s, int clock_mhz, int multiprocessors) {
    return gb_s > 0 && clock_mhz > 0 && multiprocessors > 0 ? gb_s * 1e3 / clock_mhz / multiprocessors : 0;
}
// How many times as many clocks device memory takes here as where it was measured: on such a GPU...
double memory_factor_of_own(const Calibration& own, const GpuProfile& gpu) {
    return own.clock_mhz > 0 && gpu.clock_mhz > 0 ? double(gpu.clock_mhz) / own.clock_mhz : 1;
}
// ...or on another one.
double memory_factor_of_other(const Calibration& from, const GpuProfile& gpu) {
    const double there = memory_bytes(from.bandwidth_gb_s, from.clock_mhz, from.multiprocessors);
    const double here = memory_bytes(gpu.bandwidth_gb_s, gpu.clock_mhz, gpu.multiprocessors);
    return there > 0 && here > 0 ? there / here : 1;
}

bool is_of_capability(GpuRate rate) {
    return rate <= GpuRate::xu || rate == GpuRate::fp64_latency;
}
bool is_latency_of_memory(GpuRate rate) {
    return rate == GpuRate::shared_latency || rate == GpuRate::l1_latency || rate == GpuRate::l2_latency ||
           rate == GpuRate::memory_latency;
}

// `memory`: the factor of device memory; `multiprocessors` of the GPU that it was measured on.
void put(ClockRates& made, GpuRate rate, double value, double memory, int multiprocessors) {
    const auto pipe = [&](MachinePipe which) {
        made.pipe_clocks[std::size_t(which)] = clocks_of_pipe(value);
    };
    switch (rate) {
        case GpuRate::fma:
            return pipe(MachinePipe::fma);
        case GpuRate::fma_heavy:
            return pipe(MachinePipe::fma_heavy);
        case GpuRate::fp16:
            return pipe(MachinePipe::fp16);
        case GpuRate::alu:
            return pipe(MachinePipe::alu);
        case GpuRate::fp64:
            return pipe(MachinePipe::fp64);
        case GpuRate::xu:
            return pipe(MachinePipe::xu);
        case GpuRate::special_latency:
            made.latency.special = value;
            return;
        case GpuRate::fp64_latency:
            made.latency.doubles = value;
            return;
        case GpuRate::shuffle_latency:
            made.latency.shuffle = value - kOfUnit;
            return;
        case GpuRate::constant_latency:
            made.latency.constant = value;
            return;
        case GpuRate::shared_latency:
            made.latency.shared = value - kOfUnit;
            return;
        case GpuRate::l1_latency:
            made.latency.l1 = value - kOfUnit;
            return;
        case GpuRate::l2_latency:
            made.latency.l2 = value;
            return;
        case GpuRate::memory_latency:
            made.latency.memory = value;
            return;
        case GpuRate::l1_line:
            made.access.line = value;
            return;
        case GpuRate::shared_wavefront:
            made.access.wavefront = value;
            return;
        case GpuRate::taken_branch:
            made.taken_branch = value;
            return;
        case GpuRate::barrier:
            made.barrier = value;
            return;
        case GpuRate::barrier_arrival:
            made.adu = value;
            return;
        case GpuRate::block:
            made.block_launch = value;
            return;
        case GpuRate::block_turn:
            made.block_turn = value;
            return;
        case GpuRate::launch:
            made.launch_us = value;
            return;
        case GpuRate::l2_read:
            made.l2.read_sector = kBytesOfSector / value;
            return;
        case GpuRate::l2_read_line:
            made.l2.read_line = 1 / value;
            return;
        case GpuRate::l2_write:
            made.l2.write_sector = kBytesOfSector / value;
            return;
        case GpuRate::l2_write_part:
            made.l2.write_part = 1 / value;
            return;
        case GpuRate::l2_write_line:
            made.l2.write_line = 1 / value;
            return;
        case GpuRate::atomics_side_by_side:
            made.l2.atomic_lane = 1 / value;
            made.memory.atomic_lane = memory / value;
            return;
        case GpuRate::atomics_apart:
            made.l2.atomic_sector = 1 / value;
            made.memory.atomic_sector = memory / value;
            return;
        case GpuRate::memory_read:
            made.memory.read_sector = memory * kBytesOfSector / value;
            return;
        case GpuRate::memory_write:
            made.memory.write_sector = memory * kBytesOfSector / value;
            return;
        case GpuRate::memory_copy:
            made.memory.copy_sector = memory * kBytesOfSector / value;
            return;
        case GpuRate::atomics_of_a_word:
            made.same_word = 1 / (value * multiprocessors);
            return;
        case GpuRate::float_atomics_of_a_word:
            made.same_word_float = 1 / (value * multiprocessors);
            return;
        case GpuRate::memory_read_line:
            made.memory.read_scattered = memory / value;
            return;
        // What says nothing that the others do not (a part of a sector is read and written), or what no
        // kernel does long enough.
        case GpuRate::shuffle:
        case GpuRate::shared_atomic:
        case GpuRate::memory_write_part:
            return;
    }
}

// Of another GPU: all that its capability does not decide, and that too where the capability is the same.
void put_other(ClockRates& made, const Calibration& from, const GpuProfile& gpu) {
    const bool same = from.capability == gpu.limits.capability;
    const bool nearest = from.capability <= gpu.limits.capability &&
                         from.capability.number() > latency_row(gpu.limits.capability).capability;
    for (int i = 0; i < kGpuRates; ++i) {
        const GpuRate rate = GpuRate(i);
        if (!from.at(rate) || (is_of_capability(rate) && !same) || (is_latency_of_memory(rate) && !nearest))
            continue;
        put(made, rate, from.at(rate)->value, memory_factor_of_other(from, gpu), from.multiprocessors);
    }
}

}  // namespace

ClockRates clock_rates(const GpuProfile& gpu) {
    ClockRates made = by_capability(gpu);
    const double bytes = memory_bytes(gpu.bandwidth_gb_s, gpu.clock_mhz, gpu.multiprocessors);
    made.memory_peak = bytes > 0 ? kBytesOfSector / bytes : 0;
    if (gpu.rates.other) put_other(made, *gpu.rates.other, gpu);
    if (!gpu.rates.own) return made;
    for (int i = 0; i < kGpuRates; ++i)
        if (const std::optional<MeasuredRate>& one = gpu.rates.own->at(GpuRate(i)))
            put(made, GpuRate(i), one->value, memory_factor_of_own(*gpu.rates.own, gpu),
                gpu.rates.own->multiprocessors);
    return made;
}

Message source_of_rates(const GpuProfile& gpu) {
    const auto short_name = [](std::string_view name) {
        constexpr std::string_view kMaker = "NVIDIA ";
        return std::string(name.starts_with(kMaker) ? name.substr(kMaker.size()) : name);
    };
    const KnownRates& rates = gpu.rates;
    if (rates.own && rates.by_user) return message("calibrated here, {}", rates.own->date);
    if (rates.own) return message("measured on the {}", short_name(rates.own->gpu));
    if (rates.other) return message("taken from the {}", short_name(rates.other->gpu));
    return message("as documented");
}

}  // namespace ws
