#include "gpu/analysis/hotspot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "gpu/analysis/arithmetic.h"
#include "gpu/analysis/estimate.h"
#include "gpu/analysis/occupancy.h"
#include "gpu/core/traffic_unit.h"

namespace ws {
namespace {

// ---- what the counts say

// Bytes that a piece of traffic has room for.
double bytes_of_piece(const TrafficCounts& traffic) {
    return share(double(traffic.bytes_transferred), double(traffic.sectors));
}
// Pieces per request if all of their bytes were asked for; at least one.
double pieces_needed(const TrafficCounts& traffic) {
    const double bytes = share(double(traffic.bytes_requested), double(traffic.requests));
    const double piece = bytes_of_piece(traffic);
    return piece > 0 ? std::max(1.0, bytes / piece) : 1;
}
bool inefficient(const TrafficCounts& traffic) {
    return traffic.requests > 0 && traffic.efficiency() < kLowEfficiency;
}

double shared_requests(const InstructionCounts& c) {
    return double(c.shared_load.requests + c.shared_store.requests);
}
double shared_wavefronts(const InstructionCounts& c) {
    return double(c.shared_load.wavefronts + c.shared_store.wavefronts);
}
double shared_ideal(const InstructionCounts& c) {
    return double(c.shared_load.ideal + c.shared_store.ideal);
}
bool has_conflicts(const InstructionCounts& c) {
    return shared_requests(c) > 0 && c.shared_efficiency() < kLowEfficiency;
}

// How often each byte that there is to be read is loaded. What is touched is read or written.
double loaded_again(const KernelCounters& counters, double least_bytes) {
    const double written = double(counters.total.global_store.bytes_requested);
    return share(double(counters.total.global_load.bytes_requested), std::max(0.0, least_bytes - written));
}

double waste(const TrafficCounts& traffic) {
    return std::max(0.0, double(traffic.sectors) - double(traffic.requests) * pieces_needed(traffic));
}

// ---- the end of each problem

// A request takes the pieces that its bytes need, and no bank serves two words of one request.
void coalesce(InstructionCounts& c) {
    for (TrafficCounts* traffic : {&c.global_load, &c.global_store}) {
        if (traffic->requests == 0) continue;
        const double kept = std::min(
            1.0, share(double(traffic->requests) * pieces_needed(*traffic), double(traffic->sectors)));
        traffic->sectors = std::uint64_t(double(traffic->sectors) * kept);
        traffic->bytes_transferred = std::uint64_t(double(traffic->bytes_transferred) * kept);
        traffic->replays = std::uint64_t(double(traffic->replays) * kept);
    }
    c.constant_addresses = c.constant_requests;
    c.shared_load.wavefronts = c.shared_load.ideal;
    c.shared_store.wavefronts = c.shared_store.ideal;
}

// Each byte is loaded once; what else was loaded comes from shared memory, by as many instructions.
void reuse(KernelCounters& counters, double least_bytes) {
    TrafficCounts& load = counters.total.global_load;
    const double kept = std::min(1.0, share(1, loaded_again(counters, least_bytes)));
    const auto moved = std::uint64_t(double(load.requests) * (1 - kept));
    for (std::uint64_t* count :
         {&load.requests, &load.sectors, &load.bytes_requested, &load.bytes_transferred, &load.replays})
        *count = std::uint64_t(double(*count) * kept);
    counters.total.shared_load.requests += moved;
    counters.total.shared_load.wavefronts += moved;
    counters.total.shared_load.ideal += moved;
    counters.caches.l1_hits = 0;  // what is loaded once hits nothing
}

// All lanes of a warp have work: as many thread instructions take fewer warps'.
void converge(InstructionCounts& c) {
    const double kept = std::min(1.0, c.warp_execution_efficiency());
    c.instructions = std::uint64_t(double(c.instructions) * kept);
    for (std::uint64_t& pipe : c.pipes) pipe = std::uint64_t(double(pipe) * kept);
}

// The estimated time if nothing were left of the problem.
double goal_of(Category category, const StepResult& result, double least_bytes) {
    KernelCounters changed = *result.counters;
    Occupancy occupancy = *result.occupancy;
    switch (category) {
        case Category::latency_occupancy:
            occupancy.active_warps = occupancy.limits.warps_per_multiprocessor;
            occupancy.active_blocks =
                std::max(1, occupancy.active_warps / std::max(1, occupancy.warps_per_block));
            break;
        case Category::latency_coalescing:
        case Category::bandwidth_coalescing:
            coalesce(changed.total);
            break;
        case Category::latency_reuse:
        case Category::memory_reuse:
            reuse(changed, least_bytes);
            break;
        case Category::compute_divergence:
            converge(changed.total);
            break;
        case Category::latency_parallelism:
        case Category::compute_algorithm:
            break;  // their ends are open: what is left where no other row stands out
    }
    return estimate_changed(changed, occupancy, result).ms;
}

// ---- which category

bool limits_occupancy(const Occupancy& occupancy, Limiter limiter) {
    return occupancy.percent < 100 && binds(occupancy, limiter);
}

// What limits a kernel. More than one may: compute units, memory, and the wait for either.
struct Limits {
    bool computes = false, moves = false, waits = false;
    explicit Limits(const Estimate& estimate)
        : computes(estimate.compute_percent > kLimitPercent), moves(estimate.memory_percent > kLimitPercent) {
        const Bound& longest = estimate.bounds.front();
        const bool latency = !longest.is_compute && !longest.is_memory;
        waits = (!computes && !moves) || (latency && 100 * longest.ms > kLimitPercent * estimate.ms);
    }
};

// The rows of the table whose indicators the counts show, within what limits the kernel.
std::vector<Category> shown_by(const StepResult& result, double least_bytes) {
    const Limits limits(*result.estimate);
    const InstructionCounts& c = result.counters->total;
    const bool scattered = inefficient(c.global_load) || inefficient(c.global_store) || has_conflicts(c);
    const bool reads_again = loaded_again(*result.counters, least_bytes) >= kReads;
    std::vector<Category> found;
    const auto add = [&](bool is, Category category) {
        if (is) found.push_back(category);
    };
    add(limits.waits && result.occupancy->percent < kLowOccupancyPercent, Category::latency_occupancy);
    add(limits.waits && scattered, Category::latency_coalescing);
    add(limits.moves && scattered, Category::bandwidth_coalescing);
    add(limits.waits && reads_again && !limits_occupancy(*result.occupancy, Limiter::shared),
        Category::latency_reuse);
    add(limits.moves && reads_again, Category::memory_reuse);
    add(limits.computes && c.warp_execution_efficiency() < kLowActiveLanes, Category::compute_divergence);
    return found;
}

// Where no row of the table stands out, what limits the kernel most says what is left to do.
Category remaining(const Estimate& estimate) {
    const Bound& longest = estimate.bounds.front();
    if (longest.is_compute) return Category::compute_algorithm;
    return longest.is_memory ? Category::memory_reuse : Category::latency_parallelism;
}

// ---- the line

using Amount = double (*)(const InstructionCounts&);

double lost_lanes(const InstructionCounts& c) {
    return 32 * double(c.instructions) - double(c.thread_instructions);
}
double wasted(const InstructionCounts& c) {
    return waste(c.global_load) + waste(c.global_store);
}
double conflicts(const InstructionCounts& c) {
    return shared_wavefronts(c) - shared_ideal(c);
}
double loads(const InstructionCounts& c) {
    return double(c.global_load.requests + c.texture.requests);
}
double moved(const InstructionCounts& c) {
    return double(c.global_load.bytes_transferred + c.global_store.bytes_transferred);
}
double executed(const InstructionCounts& c) {
    return double(c.instructions);
}

Amount responsible(Category category, const KernelCounters& counters) {
    switch (category) {
        case Category::latency_coalescing:
        case Category::bandwidth_coalescing:
            return conflicts(counters.total) > wasted(counters.total) ? conflicts : wasted;
        case Category::memory_reuse:
        case Category::latency_reuse:
            return moved;
        case Category::latency_occupancy:
        case Category::latency_parallelism:
            return loads;  // what a warp waits for
        case Category::compute_divergence:
            return lost_lanes;
        case Category::compute_algorithm:
            break;
    }
    return executed;
}

double constant_addresses(const InstructionCounts& c) {
    return double(c.constant_addresses);
}

int line_with_most(const KernelCounters& counters, Amount amount) {
    int line = 0;
    double most = 0;
    for (const LineCounts& entry : counters.lines) {
        const double value = amount(entry.counts);
        if (value <= most) continue;
        most = value;
        line = entry.line;
    }
    return line;
}

// ---- evidence

std::string percent_text(double value) {
    return fmt::format("{:.0f} %", 100 * value);
}
std::string number_text(double value) {
    const double whole = std::round(value);
    if (value >= 99.5 || std::abs(value - whole) < 0.005) return fmt::format("{:.0f}", value);
    return value >= 9.95 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}
bool is_share(Indicator of) {
    return of == Indicator::limiter || of == Indicator::occupancy || of == Indicator::active_lanes ||
           of == Indicator::divergent || of == Indicator::waits;
}

Evidence evidence(Indicator of, double value, double reference, std::string name = {}) {
    const auto write = [&](double number) {
        return is_share(of) ? percent_text(number) : number_text(number);
    };
    return {of, value, reference, std::move(name), write(value), write(reference)};
}

// Registers that a thread could have with as many blocks on a multiprocessor.
int registers_without_loss(const Occupancy& occupancy) {
    KernelResources resources = occupancy.resources;
    for (int more = occupancy.limits.registers_per_thread; more > occupancy.resources.registers; --more) {
        resources.registers = more;
        if (occupancy_of(resources, occupancy.limits).active_blocks >= occupancy.active_blocks) return more;
    }
    return occupancy.resources.registers;
}

void add_traffic(const InstructionCounts& c, ComputeCapability capability, std::vector<Evidence>& list) {
    const std::string unit(traffic_unit(capability));
    const auto add = [&](Indicator of, const TrafficCounts& traffic) {
        if (inefficient(traffic))
            list.push_back(evidence(of, traffic.sectors_per_request(), pieces_needed(traffic), unit));
    };
    const bool stores_first = waste(c.global_store) > waste(c.global_load);
    if (stores_first) add(Indicator::store_sectors, c.global_store);
    if (has_conflicts(c) && conflicts(c) > wasted(c))
        list.push_back(evidence(Indicator::wavefronts, share(shared_wavefronts(c), shared_requests(c)),
                                share(shared_ideal(c), shared_requests(c))));
    if (c.constant_addresses > c.constant_requests)
        list.push_back(evidence(Indicator::constant_words,
                                share(double(c.constant_addresses), double(c.constant_requests)), 1));
    add(Indicator::load_sectors, c.global_load);
    if (!stores_first) add(Indicator::store_sectors, c.global_store);
    if (has_conflicts(c) && conflicts(c) <= wasted(c))
        list.push_back(evidence(Indicator::wavefronts, share(shared_wavefronts(c), shared_requests(c)),
                                share(shared_ideal(c), shared_requests(c))));
}

void add_own(Category category, const StepResult& result, double least_bytes, std::vector<Evidence>& list) {
    const KernelCounters& counters = *result.counters;
    const InstructionCounts& c = counters.total;
    const double warps = double(std::max<std::uint64_t>(1, counters.warps));
    const Occupancy& occupancy = *result.occupancy;
    switch (category) {
        case Category::latency_coalescing:
        case Category::bandwidth_coalescing:
            add_traffic(c, result.key.gpu.limits.capability, list);
            break;
        case Category::latency_reuse:
        case Category::memory_reuse:
            if (const double times = loaded_again(counters, least_bytes); times >= kWorthNaming)
                list.push_back(evidence(Indicator::loaded_again, times, 1));
            add_traffic(c, result.key.gpu.limits.capability, list);
            break;
        case Category::compute_divergence:
            list.push_back(evidence(Indicator::active_lanes, c.warp_execution_efficiency(), kLowActiveLanes));
            list.push_back(
                evidence(Indicator::divergent, share(double(c.divergent_branches), double(c.branches)), 0));
            break;
        case Category::compute_algorithm: {
            const double results =
                double(result.key.input.size.pixels()) > 0 ? double(result.key.input.size.pixels()) : 1;
            list.push_back(evidence(Indicator::instructions, 32 * double(c.instructions) / results, 0));
            break;
        }
        case Category::latency_occupancy:
            list.push_back(
                evidence(Indicator::occupancy, occupancy.percent / 100, kLowOccupancyPercent / 100));
            list.push_back(
                evidence(Indicator::loads_of_thread, loads(c) / warps, loads_under_way(result.code)));
            break;
        case Category::latency_parallelism:
            list.push_back(
                evidence(Indicator::loads_of_thread, loads(c) / warps, loads_under_way(result.code)));
            list.push_back(evidence(Indicator::registers, occupancy.resources.registers,
                                    registers_without_loss(occupancy)));
            break;
    }
}

bool is_latency(Category category) {
    return category == Category::latency_occupancy || category == Category::latency_coalescing ||
           category == Category::latency_reuse || category == Category::latency_parallelism;
}

// What the kernel's warps wait for most, and the line where most of that is; none where no clock ran it.
std::optional<Evidence> waiting(const StepResult& result) {
    if (!result.clocked) return std::nullopt;
    const StateClocks all = all_states(*result.clocked);
    const std::optional<WarpState> state = main_wait(all);
    if (!state) return std::nullopt;
    const auto at = [&](int line) {
        const StateClocks* states = states_at(result.clocked.get(), line);
        return states ? (*states)[std::size_t(*state)] : 0;
    };
    int most = 0;
    for (int line = 1; line < int(result.clocked->at_line.size()); ++line) {
        if (at(line) > at(most)) most = line;
    }
    if (most == 0) return std::nullopt;
    Evidence made =
        evidence(Indicator::waits, share(double(all[std::size_t(*state)]), double(clocks_of(all))), most,
                 std::string(waited_for(*state)));
    made.reference_text = fmt::format("{}", most);
    return made;
}

// Of the estimated time over what device memory takes for the least bytes; 0 where that is not known, and
// where device memory has nothing to do.
double floor_of(const StepResult& result, double least_bytes) {
    if (result.estimate->clocked && stays_in_l2(least_bytes, result.key.gpu)) return 0;
    const double rate = result.key.gpu.bandwidth_gb_s * kMostBandwidth * 1e6;
    return rate > 0 && least_bytes > 0 ? result.estimate->ms / (least_bytes / rate) : 0;
}

}  // namespace

Diagnosis diagnose(const StepResult& result, double least_bytes) {
    const Estimate& estimate = *result.estimate;
    Diagnosis made;
    made.floor = floor_of(result, least_bytes);
    made.category = remaining(estimate);
    double least = estimate.ms / kWorthNaming;
    for (const Category category : shown_by(result, least_bytes)) {
        const double ms = goal_of(category, result, least_bytes);
        if (ms >= least) continue;
        least = ms;
        made.category = category;
    }
    made.line = line_with_most(*result.counters, responsible(made.category, *result.counters));
    if (made.line == 0) made.line = line_with_most(*result.counters, executed);
    const Bound& limit = estimate.bounds.front();
    if (limit.part == Part::constant) made.line = line_with_most(*result.counters, constant_addresses);
    made.evidence.push_back(
        evidence(Indicator::limiter, limit.ms / estimate.ms, kLimitPercent / 100, std::string(limit.name)));
    add_own(made.category, result, least_bytes, made.evidence);
    if (const auto waits = is_latency(made.category) ? waiting(result) : std::nullopt)
        made.evidence.insert(
            made.evidence.begin() + std::ptrdiff_t(std::min<std::size_t>(2, made.evidence.size())), *waits);
    if (made.evidence.size() < kMostEvidence && made.floor > 0)
        made.evidence.push_back(evidence(Indicator::floor, made.floor, 1));
    if (made.evidence.size() > kMostEvidence) made.evidence.resize(kMostEvidence);
    return made;
}

}  // namespace ws
