#include "gpu/analysis/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpu/analysis/partitions.h"

namespace ws {
namespace {

// Machine instructions for a PTX instruction of arithmetic or control: the mean over the kernels of all
// versions on an H200 (docs/measurements.md).
constexpr double kMachinePerPtx = 0.86;
// 1.x: a half warp that waits for a bank is issued again, and so much of a warp's slot is not hidden: 16-way
// conflicts make a transpose on a GTX 280 slower by 26 clocks for every 30 of them (75.1 instead of 93.4 GB/s
// in the original lecture).
constexpr double kSlotsPerConflict = 0.2;
constexpr double kL2OverMemory = 2.5;  // the second level's bandwidth over the memory's
// A sector that a store fills in part occupies the second level longer: by so many times the bytes that it
// leaves out. From a transpose with strided stores on an H200 (69 000 million sectors a second, 4 of 32 bytes
// each); it gives the lecture's figures for a GTX 560 Ti, 650 Ti and Tesla K40m within a factor of 1.8.
constexpr double kPartialStore = 4.5;
// An address more that a request to constant memory has, in clocks of its multiprocessor: `warpscope lab
// constant 3 --sweep DISTINCT` on an H200 gave 2.02 (docs/measurements.md).
constexpr double kClocksPerAddress = 2;
constexpr double kComesAgain = 1.5;
constexpr double kFewAtomics = 0.02;     // of the instructions
constexpr double kUtilisationRule = 60;  // per cent

double at(const InstructionCounts& counts, Pipe pipe) {
    return double(counts.pipes[std::size_t(pipe)]);
}
double at(const InstructionCounts& counts, SlowKind kind) {
    return double(counts.slow[std::size_t(kind)]);
}

// Clocks beyond those that the pipe's rate gives, where a kind has other lanes than the pipe: fewer than none
// where it has more.
double more_clocks(double count, double lanes, double lanes_of_pipe) {
    return count * 32 * (1 / lanes - 1 / lanes_of_pipe);
}
// Where it can only have fewer.
double slowed(double count, double lanes, double lanes_of_pipe) {
    return lanes < lanes_of_pipe ? more_clocks(count, lanes, lanes_of_pipe) : 0;
}

// Words that the compiler spilled, as warps store and load them, and how many bytes of them the caches cannot
// keep.
struct Spills {
    double requests = 0;
    double past_l1 = 0;
    double past_l2 = 0;
};
Spills spills_of(const KernelCounters& counters, const Occupancy& occupancy, const GpuProfile& gpu,
                 const CodeFacts& code) {
    constexpr double kLanes = 32;
    const double bytes = double(counters.warps) * kLanes * code.spill_bytes();
    const SpillShares shares = spill_shares(counters.warps, occupancy, gpu, code);
    return {bytes / 4 / kLanes, bytes * shares.past_l1, bytes * shares.past_l1 * shares.past_l2};
}
// Bytes of textures that their cache does not have.
double missed_texels(const KernelCounters& counters) {
    const CacheModel& caches = counters.caches;
    const auto all = double(counters.total.texture.bytes_transferred);
    if (caches.texture_sectors == 0) return all;
    return all * (1 - double(caches.texture_hits) / double(caches.texture_sectors));
}

// Of the sectors of loads; where those go through the cache of textures alone, that one's.
double share_of_hits(const KernelCounters& counters) {
    const CacheModel& caches = counters.caches;
    if (caches.l1_sectors > 0) return double(caches.l1_hits) / double(caches.l1_sectors);
    if (caches.texture_sectors == 0 || counters.total.texture.requests > 0) return 0;
    return double(caches.texture_hits) / double(caches.texture_sectors);
}

// Bytes between the levels of memory.
struct Traffic {
    double to_l2 = 0;       // what misses the first level, and stores
    double device = 0;      // over the memory's bus
    bool modelled = false;  // by the counters' model of the caches
};
// Device memory transfers what the caches do not keep: at least every sector touched, once. Without caches it
// transfers everything.
Traffic traffic_of(const KernelCounters& counters, const GpuProfile& gpu, const Spills& spills) {
    const InstructionCounts& c = counters.total;
    const CacheModel& caches = counters.caches;
    const double loaded = double(c.global_load.bytes_transferred);
    const double stored = double(c.global_store.bytes_transferred);
    Traffic traffic;
    const double texels = missed_texels(counters);
    traffic.device = loaded + texels + stored;
    if (!caches_global_memory(gpu.limits.capability)) {
        traffic.device +=
            double(c.local_load.bytes_transferred + c.local_store.bytes_transferred) + spills.past_l1;
        traffic.device += spills.past_l2;
        return traffic;
    }
    double past_l2 = 0;
    traffic.modelled = caches.l1_sectors + caches.l2_sectors > 0;
    if (traffic.modelled) {
        // What misses the first level goes to the second; the model's share holds for all sectors.
        traffic.to_l2 = texels + loaded * (1 - share_of_hits(counters)) + stored;
        if (caches.l2_sectors > 0)
            past_l2 = traffic.to_l2 * (1 - double(caches.l2_hits) / double(caches.l2_sectors));
    }
    if (counters.unique_bytes > 0) {
        const auto least = double(counters.unique_bytes);
        // Where a sample of blocks misses far more than that and the second level cannot hold it all, what
        // one round leaves is gone when the next one comes for it. Borders of tiles look alike in a sample,
        // but are far less.
        const bool fits = gpu.l2_kib == 0 || least <= double(gpu.l2_kib) * 1024;
        const bool comes_again = !fits && past_l2 > kComesAgain * least;
        traffic.device = std::min(traffic.device, comes_again ? past_l2 : least);
    }
    traffic.device += spills.past_l2;
    return traffic;
}

void sort_bounds(Estimate& estimate) {
    std::sort(estimate.bounds.begin(), estimate.bounds.end(),
              [](const Bound& a, const Bound& b) { return a.ms > b.ms; });
}

// What it is bound by, from its time and its bounds.
void diagnose(Estimate& estimate) {
    const Bound* compute = nullptr;
    const Bound* memory = nullptr;
    for (const Bound& bound : estimate.bounds) {
        if (bound.is_compute && !compute) compute = &bound;
        if (bound.is_memory && !memory) memory = &bound;
    }
    estimate.compute_percent = compute ? 100 * compute->ms / estimate.ms : 0;
    estimate.memory_percent = memory ? 100 * memory->ms / estimate.ms : 0;
    const bool computes = estimate.compute_percent > kUtilisationRule;
    const bool moves = estimate.memory_percent > kUtilisationRule;
    estimate.diagnosis = computes && moves ? "compute and memory bound"
                         : computes        ? "compute bound"
                         : moves           ? "memory bound"
                                           : "latency bound";
    estimate.reason =
        fmt::format("{} {:.0f} % of peak throughput, {} {:.0f} %; above {:.0f} % counts as bound",
                    compute ? compute->name : "compute", estimate.compute_percent,
                    memory ? memory->name : "memory", estimate.memory_percent, kUtilisationRule);
}

}  // namespace

SpillShares spill_shares(std::uint64_t warps, const Occupancy& occupancy, const GpuProfile& gpu,
                         const CodeFacts& code, double other_bytes) {
    constexpr double kLanes = 32;
    const KernelResources& block = occupancy.resources;
    const auto shared = std::uint64_t(occupancy.active_blocks) * std::uint64_t(occupancy.shared_per_block);
    const auto l1 = double(l1_bytes(occupancy.limits, block.cache, block.shared_bytes, shared));
    const double of_warp = kLanes * code.spill_store_bytes;
    const double busiest = std::ceil(double(warps) / std::max(1, gpu.multiprocessors));
    const double here = std::min(double(occupancy.active_warps), busiest) * of_warp;
    const double all =
        std::min(double(gpu.multiprocessors) * occupancy.active_warps, double(warps)) * of_warp;
    const double l2 = kept_in_l2(gpu);
    const auto past = [](double resident, double cache) {
        return resident > cache ? 1 - cache / resident : 0;
    };
    // The same thread's place comes again with the next block, and in the next launch at the latest.
    const double rounds = std::max(1.0, of_warp > 0 ? double(warps) * of_warp / std::max(1.0, all) : 1.0);
    const bool has_l2 = gpu.l2_kib > 0;
    return {past(here, l1), has_l2 ? past(all, l2) : 0, has_l2 ? past(all + other_bytes / rounds, l2) : 0};
}

double kept_in_l2(const GpuProfile& gpu) {
    constexpr double kKept = 0.7;
    return kKept * gpu.l2_kib * 1024;
}

bool stays_in_l2(double bytes, const GpuProfile& gpu) {
    return bytes < kept_in_l2(gpu);
}

double loads_under_way(const CodeFacts& code) {
    return code.loads_in_flight > 0 ? std::min(kLoadsUnderWay, double(code.loads_in_flight)) : kLoadsUnderWay;
}

Estimate estimate_time(const KernelCounters& counters, const Occupancy& occupancy, const GpuProfile& gpu,
                       const CodeFacts& code) {
    Estimate estimate;
    const InstructionCounts& c = counters.total;
    if (gpu.multiprocessors == 0 || gpu.clock_mhz == 0 || gpu.bandwidth_gb_s <= 0) {
        estimate.reason = "the GPU's clock or bandwidth is not known";
        return estimate;
    }
    if (occupancy.active_warps == 0) {
        estimate.reason = fmt::format("a block does not fit on a multiprocessor; limiter: {}",
                                      fmt::join(occupancy.limited_by, ", "));
        return estimate;
    }
    const Spills spills = spills_of(counters, occupancy, gpu, code);
    const Traffic traffic = traffic_of(counters, gpu, spills);
    estimate.device_bytes = estimate.moved_bytes = traffic.device;
    // What a launch costs, and when its grid begins, is not known.
    if (c.device_launches > 0) {
        estimate.reason = "launches from kernels are not modelled";
        return estimate;
    }
    // Of atomics only requests are counted, not how many lanes and warps queue for one word.
    if (double(c.atomics) > kFewAtomics * double(c.instructions)) {
        estimate.reason = "queues of atomics are not modelled";
        estimate.needs_clock = true;
        return estimate;
    }
    const Throughput rate = throughput_of(gpu.limits.capability);
    const bool cached = caches_global_memory(gpu.limits.capability);
    // Blocks are spread evenly over the multiprocessors; the one with the most takes the longest.
    const auto blocks = double(counters.blocks_total);
    const double stretched =
        blocks > 0 ? std::ceil(blocks / gpu.multiprocessors) * gpu.multiprocessors / blocks : 1;
    // What waits does so in whole waves, as long as there are few.
    const double waves = blocks / (double(gpu.multiprocessors) * std::max(1, occupancy.active_blocks));
    const double turns = waves < 4 ? std::max(1.0, std::ceil(waves)) : waves;
    const double clocks_per_ms = double(gpu.clock_mhz) * 1000;
    const auto in_clocks = [&](double clocks_of_all) {
        return clocks_of_all / gpu.multiprocessors / clocks_per_ms * stretched;
    };
    // Copies and addresses, which machine code has fewer of, are no work for these.
    const auto machine_per_ptx = [](Pipe pipe) {
        return pipe == Pipe::xu || pipe == Pipe::fp64 ? 1.0 : kMachinePerPtx;
    };
    const auto pipe_time = [&](Pipe pipe, double lanes, double more = 0) {
        return in_clocks((at(c, pipe) * 32 / lanes + more) * machine_per_ptx(pipe));
    };
    const double more_alu = slowed(at(c, SlowKind::shift), rate.shift, rate.alu) +
                            slowed(at(c, SlowKind::multiply), rate.multiply, rate.alu);
    // They go through the FP64 pipe.
    const double more_conversion =
        slowed(at(c, SlowKind::wide_conversion), std::min(rate.conversion, rate.fp64), rate.conversion) +
        more_clocks(at(c, SlowKind::narrow_conversion), rate.narrow, rate.conversion);
    const auto add = [&](Part part, double ms) {
        if (ms > 0) estimate.bounds.push_back(bound_of(part, ms));
    };
    // An arithmetic instruction takes such a word straight from the constant cache.
    const double instructions = double(c.instructions - c.constant_operands);
    const double lsu = at(c, Pipe::lsu) - double(c.constant_operands);
    const double shared = double(c.shared_load.wavefronts + c.shared_store.wavefronts);
    const double lines = double(c.global_load.requests + c.global_load.replays + c.global_store.requests +
                                c.global_store.replays + c.local_load.requests + c.local_load.replays +
                                c.local_store.requests + c.local_store.replays) +
                         spills.requests;
    // From 5.0 on L1 holds textures, too.
    const double of_textures = gpu.limits.capability.major >= 5 ? double(c.texture.sectors) : 0;
    const double sectors = double(c.global_load.bytes_transferred + c.local_load.bytes_transferred) / 32 +
                           4 * spills.requests + of_textures;
    const double conflicts = cached ? 0 : shared - double(c.shared_load.ideal + c.shared_store.ideal);
    // What divisions become is known of today's GPUs. With as much of it the diagonal transpose, which has a
    // modulo, would take a GTX 280 a fifth longer than the lecture measured: nothing is added before 2.0.
    const double further = cached ? double(c.further) : 0;
    const double further_special = cached ? double(c.further_special) : 0;
    add(Part::issue, in_clocks((instructions * kMachinePerPtx + further + spills.requests +
                                kSlotsPerConflict * conflicts) /
                               rate.issue));
    add(Part::fma, pipe_time(Pipe::fma, rate.fma));
    add(Part::alu, pipe_time(Pipe::alu, rate.alu, more_alu));
    add(Part::conversion, pipe_time(Pipe::conversion, rate.conversion, more_conversion));
    add(Part::xu, pipe_time(Pipe::xu, rate.xu, further_special * 32 / rate.xu));
    add(Part::fp64, pipe_time(Pipe::fp64, rate.fp64));
    add(Part::lsu, in_clocks((lsu + spills.requests) * 32 / rate.lsu));
    // 1.x has none: the LSU issues the transactions that a request is split into.
    add(cached ? Part::l1 : Part::transactions, in_clocks(std::max(lines, sectors / rate.l1_sectors)));
    add(Part::shared, in_clocks(shared / rate.shared_wavefronts));
    // One address comes with the instruction; the constant cache takes the others one after the other.
    add(Part::constant, in_clocks(double(c.constant_addresses - c.constant_requests) * kClocksPerAddress));

    add(Part::texture, in_clocks(double(c.texture.requests) * 32 / rate.texture));

    if (cached && traffic.modelled) {
        const double left_out =
            double(c.global_store.bytes_transferred) - double(c.global_store.bytes_requested);
        add(Part::l2, (traffic.to_l2 + spills.past_l1 + kPartialStore * left_out) /
                          (gpu.bandwidth_gb_s * kL2OverMemory * 1e6));
    }
    const double reachable = gpu.bandwidth_gb_s * kReachableBandwidth;
    // Without hashed addresses all of memory waits for the partition that has most to do.
    add(Part::memory, std::max(traffic.device / (reachable * 1e6), partition_time(counters, reachable)));

    // Little's law: a warp waits for memory once for as many loads as it has in flight, and only the resident
    // warps wait at the same time.
    const double in_flight = loads_under_way(code);
    const double warps = double(counters.warps);
    const double loads = double(c.global_load.requests + c.local_load.requests + c.texture.requests) / warps;
    const double barriers = double(c.barriers) / warps;
    const double rounds = std::max(loads > 0 ? 1.0 : 0.0, loads / in_flight) + 1;  // and once for its store
    const double shared_rounds = (double(c.shared_load.requests) / warps) / kLoadsUnderWay;
    // On its own a warp issues every clock, or as often as its scheduler's lanes take 32 threads; links of a
    // chain wait for each other.
    const double clocks_of_issue = std::max(1.0, 32.0 * gpu.limits.partitions / rate.fma);
    const double arithmetic =
        kMachinePerPtx / warps *
        std::max(instructions * clocks_of_issue, double(c.dependent) * rate.result_latency);
    const double clocks_of_warp =
        rounds * rate.memory_latency + shared_rounds * 30 + barriers * 40 + arithmetic;
    add(Part::latency, turns * clocks_of_warp / clocks_per_ms);

    sort_bounds(estimate);
    estimate.ms = estimate.bounds.front().ms;
    // The bounds do not overlap perfectly: what is not hidden adds a part of the second longest.
    if (estimate.bounds.size() > 1) estimate.ms += 0.25 * estimate.bounds[1].ms;
    estimate.bounds_ms = estimate.ms;
    diagnose(estimate);
    return estimate;
}

Estimate by_clock(Estimate estimate, const ClockedLaunch& launch) {
    estimate.clocked = true;
    estimate.ms = launch.ms;
    estimate.launch_ms = launch.launch_ms;
    estimate.moved_bytes = launch.moved_bytes;
    estimate.bounds = launch.bounds;
    sort_bounds(estimate);
    diagnose(estimate);
    return estimate;
}

Estimate estimate_changed(const KernelCounters& counters, const Occupancy& occupancy, const StepResult& now) {
    Estimate changed = estimate_time(counters, occupancy, now.key.gpu, now.code);
    // What has no estimate gets none by what a launch takes.
    if (changed.bounds.empty()) return changed;
    if (!now.estimate || !now.estimate->clocked || now.estimate->bounds_ms <= 0) return changed;
    const Estimate& known = *now.estimate;
    const double times = (known.ms - known.launch_ms) / known.bounds_ms;
    changed.ms = changed.ms * times + known.launch_ms;
    for (Bound& bound : changed.bounds) bound.ms *= times;
    return changed;
}

}  // namespace ws
