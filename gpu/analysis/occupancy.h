#pragma once
// Occupancy of a kernel on a GPU, and what would raise it.
//
// Source of the rules: the occupancy calculation that comes with the CUDA toolkit (capabilities from 3.0 on)
// and the allocation rules published for 1.x and 2.x.

#include <array>
#include <cstdint>

#include "gpu/core/message.h"
#include "gpu/core/occupancy.h"

namespace ws {

// A kernel that cannot be launched at all has 0 active blocks. Threads must be at least 1.
[[nodiscard]] Occupancy occupancy_of(const KernelResources& resources, const GpuLimits& limits);

// Why no multiprocessor takes a single block, as the arithmetic of the limit that is exceeded. Only where
// active_blocks is 0.
struct LaunchExcess {
    enum class Of : std::uint8_t { threads, registers_of_thread, registers_of_block, shared, none };
    Of of = Of::none;
    int asked = 0;  // of a block; as allocated where registers of a block are meant
    int most = 0;
};
[[nodiscard]] LaunchExcess excess_of(const Occupancy& occupancy);
// The arithmetic, as a sentence; empty where a block fits.
[[nodiscard]] Message why_not_launched(const Occupancy& occupancy);

// The smallest single change that gives more active warps: "7 registers fewer per thread: 6 blocks, 75 %".
// Empty at 100 %. Tries some ten thousand changes: about a millisecond.
[[nodiscard]] Message next_step(const Occupancy& now);

// Occupancy over block size (by 32 threads), registers and shared memory (by its granularity), the rest as it
// is.
[[nodiscard]] std::array<OccupancyCurve, 3> occupancy_curves(const KernelResources& resources,
                                                             const GpuLimits& limits);

// Blocks that the whole GPU holds at a time.
[[nodiscard]] constexpr std::uint64_t resident_blocks(const Occupancy& occupancy, const GpuProfile& gpu) {
    return std::uint64_t(occupancy.active_blocks) * std::uint64_t(gpu.multiprocessors);
}

}  // namespace ws
