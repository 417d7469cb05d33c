#include "gpu/core/counters.h"

#include <algorithm>
#include <cmath>

namespace ws {

const char* name_of(Pipe pipe) {
    constexpr std::array<const char*, kPipes> kNames{"float",  "integer",    "conversion", "special",
                                                     "double", "load/store", "control",    "texture"};
    return kNames[std::size_t(pipe)];
}

const char* name_of(Finding::Kind kind) {
    switch (kind) {
        case Finding::Kind::out_of_bounds:
            return "out of bounds";
        case Finding::Kind::misaligned:
            return "misaligned";
        case Finding::Kind::uninitialised:
            return "uninitialised read";
        case Finding::Kind::race_shared:
            return "race on shared memory";
        case Finding::Kind::race_global:
            return "race on global memory";
        case Finding::Kind::same_value:
            return "same value written by several threads";
        case Finding::Kind::divergent_barrier:
            return "barrier in divergent code";
        case Finding::Kind::warp_mask:
            return "wrong member mask";
        case Finding::Kind::absent_member:
            return "absent member of a warp mask";
        case Finding::Kind::absent_source:
            return "shuffle from an absent lane";
        case Finding::Kind::async_copy:
            return "missing wait for an asynchronous copy";
        case Finding::Kind::unwritten:
            return "unwritten output";
        case Finding::Kind::wrong_free:
            return "wrong free";
        case Finding::Kind::leak:
            return "memory that is never freed";
        case Finding::Kind::refused_launch:
            return "refused launch";
        case Finding::Kind::stopped:
            return "stopped";
    }
    return "";
}

Severity severity_of(Finding::Kind kind) {
    const bool harmless =
        kind == Finding::Kind::same_value || kind == Finding::Kind::unwritten || kind == Finding::Kind::leak;
    return harmless ? Severity::note : Severity::error;
}

const char* name_of(Severity severity) {
    return severity == Severity::note ? "note" : "error";
}

TrafficCounts& TrafficCounts::operator+=(const TrafficCounts& other) {
    requests += other.requests;
    sectors += other.sectors;
    bytes_requested += other.bytes_requested;
    bytes_transferred += other.bytes_transferred;
    replays += other.replays;
    return *this;
}

double TrafficCounts::sectors_per_request() const {
    return requests ? double(sectors) / double(requests) : 0;
}

double TrafficCounts::efficiency() const {
    return bytes_transferred ? double(bytes_requested) / double(bytes_transferred) : 0;
}

PartitionCounts PartitionCounts::scaled(double factor) const {
    const auto times = [factor](std::uint64_t value) {
        return std::uint64_t(std::llround(double(value) * factor));
    };
    return {times(transactions), times(bytes), times(rows_opened)};
}

PartitionCounts& PartitionCounts::operator+=(const PartitionCounts& other) {
    transactions += other.transactions;
    bytes += other.bytes;
    rows_opened += other.rows_opened;
    return *this;
}

CacheModel& CacheModel::operator+=(const CacheModel& other) {
    l1_sectors += other.l1_sectors;
    l1_hits += other.l1_hits;
    l2_sectors += other.l2_sectors;
    l2_hits += other.l2_hits;
    texture_sectors += other.texture_sectors;
    texture_hits += other.texture_hits;
    return *this;
}

CacheModel CacheModel::scaled(double factor) const {
    const auto times = [factor](std::uint64_t value) { return std::uint64_t(double(value) * factor); };
    return {times(l1_sectors), times(l1_hits),         times(l2_sectors),
            times(l2_hits),    times(texture_sectors), times(texture_hits)};
}

SharedCounts& SharedCounts::operator+=(const SharedCounts& other) {
    requests += other.requests;
    wavefronts += other.wavefronts;
    ideal += other.ideal;
    broadcasts += other.broadcasts;
    conflict_ways_max = std::max(conflict_ways_max, other.conflict_ways_max);
    return *this;
}

InstructionCounts& InstructionCounts::operator+=(const InstructionCounts& other) {
    instructions += other.instructions;
    thread_instructions += other.thread_instructions;
    predicated_off += other.predicated_off;
    dependent += other.dependent;
    for (std::size_t i = 0; i < kPipes; ++i) pipes[i] += other.pipes[i];
    for (std::size_t i = 0; i < kSlowKinds; ++i) slow[i] += other.slow[i];
    further += other.further;
    further_special += other.further_special;
    float_operations += other.float_operations;
    branches += other.branches;
    divergent_branches += other.divergent_branches;
    global_load += other.global_load;
    global_store += other.global_store;
    local_load += other.local_load;
    local_store += other.local_store;
    shared_load += other.shared_load;
    shared_store += other.shared_store;
    constant_requests += other.constant_requests;
    constant_addresses += other.constant_addresses;
    constant_operands += other.constant_operands;
    atomics += other.atomics;
    texture += other.texture;
    barriers += other.barriers;
    device_launches += other.device_launches;
    return *this;
}

InstructionCounts InstructionCounts::scaled(double factor) const {
    InstructionCounts made = *this;
    const auto scale = [factor](std::uint64_t& value) {
        value = std::uint64_t(std::llround(double(value) * factor));
    };
    const auto scale_traffic = [&](TrafficCounts& t) {
        for (std::uint64_t* value :
             {&t.requests, &t.sectors, &t.bytes_requested, &t.bytes_transferred, &t.replays})
            scale(*value);
    };
    const auto scale_shared = [&](SharedCounts& s) {
        for (std::uint64_t* value : {&s.requests, &s.wavefronts, &s.ideal, &s.broadcasts}) scale(*value);
    };
    for (std::uint64_t* value :
         {&made.instructions, &made.thread_instructions, &made.predicated_off, &made.dependent,
          &made.float_operations, &made.branches, &made.divergent_branches, &made.constant_requests,
          &made.constant_addresses, &made.constant_operands, &made.atomics, &made.barriers,
          &made.device_launches})
        scale(*value);
    for (std::uint64_t& value : made.pipes) scale(value);
    for (std::uint64_t& value : made.slow) scale(value);
    scale(made.further);
    scale(made.further_special);
    for (TrafficCounts* traffic :
         {&made.global_load, &made.global_store, &made.local_load, &made.local_store, &made.texture})
        scale_traffic(*traffic);
    scale_shared(made.shared_load);
    scale_shared(made.shared_store);
    return made;
}

double InstructionCounts::warp_execution_efficiency() const {
    return instructions ? double(thread_instructions) / (32.0 * double(instructions)) : 0;
}

std::uint64_t InstructionCounts::global_bytes_transferred() const {
    return global_load.bytes_transferred + global_store.bytes_transferred + texture.bytes_transferred;
}

double InstructionCounts::bytes_per_instruction() const {
    return instructions ? double(global_bytes_transferred()) / double(instructions) : 0;
}

double InstructionCounts::arithmetic_intensity() const {
    return global_bytes_transferred() ? double(float_operations) / double(global_bytes_transferred()) : 0;
}

double InstructionCounts::shared_efficiency() const {
    const std::uint64_t needed = shared_load.wavefronts + shared_store.wavefronts;
    return needed ? double(shared_load.ideal + shared_store.ideal) / double(needed) : 0;
}

}  // namespace ws
