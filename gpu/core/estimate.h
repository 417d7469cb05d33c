#pragma once
// An estimated time of a kernel, with what bounds it: by the clock of a multiprocessor (docs/clock.md), or by
// the longest of the times that each part of the GPU would need on its own (docs/simulated-gpu.md).

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ws {

// A part of the GPU that may take the longest.
enum class Part : std::uint8_t {
    issue,
    fma,
    alu,
    conversion,
    xu,
    fp64,
    adu,
    lsu,
    l1,
    transactions,
    shared,
    constant,
    texture,
    l2,
    memory,
    latency
};
inline constexpr std::size_t kParts = std::size_t(Part::latency) + 1;
inline constexpr std::array<std::string_view, kParts> kPartNames{"instruction issue", "FMA pipe",
                                                                 "ALU pipe",          "conversion pipe",
                                                                 "XU pipe",           "FP64 pipe",
                                                                 "ADU pipe",          "LSU pipe",
                                                                 "L1 cache",          "memory transactions",
                                                                 "shared memory",     "constant cache",
                                                                 "TEX pipe",          "L2 cache",
                                                                 "device memory",     "latency"};
[[nodiscard]] constexpr std::string_view name_of(Part part) {
    return kPartNames[std::size_t(part)];
}

// Several of them, a bit each.
using Parts = std::uint32_t;
[[nodiscard]] constexpr Parts bit(Part part) {
    return Parts(1) << unsigned(part);
}

struct Bound {
    Part part = Part::latency;
    std::string_view name;  // of the part
    double ms = 0;
    bool is_compute = false;
    bool is_memory = false;
};

[[nodiscard]] constexpr Bound bound_of(Part part, double ms) {
    const bool waits = part == Part::latency;
    const bool computes = part < Part::lsu;
    return {part, name_of(part), ms, computes, !computes && !waits};
}

struct Estimate {
    double ms = 0;
    std::vector<Bound> bounds;   // longest first
    bool clocked = false;        // by the clock of a multiprocessor that runs the machine code
    bool needs_clock = false;    // counts alone do not tell
    double bounds_ms = 0;        // by bounds from counts alone; the same as `ms` where it is not clocked
    double launch_ms = 0;        // of `ms`: that any launch takes among others of its stream
    double compute_percent = 0;  // throughput of the most used compute unit, of its peak
    double memory_percent = 0;   // throughput of the most used part of the memory system, of its peak
    double device_bytes = 0;     // that device memory transfers: what the modelled caches do not keep
    double moved_bytes = 0;      // the same as the time has it: by the clock's caches where it is clocked
    std::string diagnosis;       // "compute bound", by the rule of 60 %
    std::string reason;          // with the numbers
    // The longest of these; 0 where there is none.
    [[nodiscard]] double longest(Parts parts) const {
        double most = 0;
        for (const Bound& bound : bounds) {
            if (parts & bit(bound.part)) most = std::max(most, bound.ms);
        }
        return most;
    }
};

}  // namespace ws
