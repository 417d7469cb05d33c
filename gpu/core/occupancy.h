#pragma once
// Occupancy as a value: how many warps of a kernel a multiprocessor holds at once, and what keeps it from
// more.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gpu/core/gpu_profile.h"
#include "gpu/core/l1_split.h"

namespace ws {

inline constexpr int kNoLimit = std::numeric_limits<int>::max();

// The resources a block takes.
struct KernelResources {
    int threads = 0;
    int registers = 0;           // per thread
    int shared_bytes = 0;        // per block, static and dynamic
    bool shared_opt_in = false;  // the program asked for more dynamic shared memory than a block usually gets
    CachePreference cache = CachePreference::none;
};

// The registers allocated for a block, rounded up to the allocation granularity.
[[nodiscard]] int registers_of_block(const KernelResources& kernel, const GpuLimits& limits);
// Those that a launch is checked for, against registers_per_block: from 3.0 on as if the block's warps filled
// all four partitions evenly.
[[nodiscard]] int registers_checked(const KernelResources& kernel, const GpuLimits& limits);

// The shared memory of a multiprocessor, as a launch of the kernel splits it from L1.
[[nodiscard]] inline int shared_of_multiprocessor(const KernelResources& kernel, const GpuLimits& limits) {
    return shared_bytes_of_split(limits, kernel.cache, kernel.shared_bytes);
}

struct Occupancy {
    KernelResources resources;
    GpuLimits limits;
    // Blocks per multiprocessor that each resource would allow; kNoLimit if the kernel uses none of it.
    int by_blocks = 0;
    int by_warps = 0;
    int by_registers = 0;
    int by_shared = 0;
    int active_blocks = 0;
    int warps_per_block = 0;
    int active_warps = 0;
    double percent = 0;
    int registers_per_block = 0;          // as allocated, after rounding up
    int shared_per_block = 0;             // as allocated
    std::vector<std::string> limited_by;  // "blocks", "warps", "registers", "shared"
};

// What may keep a multiprocessor from more blocks, in the order in which it is shown.
enum class Limiter : std::uint8_t { blocks, warps, registers, shared };
inline constexpr std::size_t kLimiters = 4;
// Blocks that it would allow; kNoLimit if the kernel uses none of it.
[[nodiscard]] inline int blocks_by(const Occupancy& occupancy, Limiter limiter) {
    const int by[] = {occupancy.by_blocks, occupancy.by_warps, occupancy.by_registers, occupancy.by_shared};
    return by[std::size_t(limiter)];
}
// It is the one, or one of those, that decides.
[[nodiscard]] inline bool binds(const Occupancy& occupancy, Limiter limiter) {
    return blocks_by(occupancy, limiter) == occupancy.active_blocks;
}

// Occupancy over one quantity, the others as they are.
struct OccupancyCurve {
    std::vector<float> x;
    std::vector<float> percent;
    // What each limiter alone would allow: beyond 100 where others decide.
    std::array<std::vector<float>, kLimiters> limits;
    float current = 0;
};

}  // namespace ws
