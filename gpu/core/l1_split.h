#pragma once
// What of a multiprocessor's memory is shared memory, and what is left for L1.

#include <cstdint>

#include "gpu/core/gpu_profile.h"

namespace ws {

// What a launch asks for. From 7.0 on shared memory gets what the blocks that fit need, the next larger of
// its possible parts, or, if it is preferred, the largest part there is (an H200's 228 KB, by Nsight
// Compute), and L1 the rest.
enum class CachePreference { none, shared, l1 };

// Whether shared memory and L1 are parts of one memory that is split as a launch needs it.
[[nodiscard]] constexpr bool l1_shares_memory(ComputeCapability capability) {
    return capability.major >= 7;
}

// Shared memory of a multiprocessor in bytes, for blocks of `shared_bytes` each. 2.x and 3.x but 3.7 split
// 64 KiB: 48 and 16 for L1, or the other way round for a launch that prefers L1 and whose blocks need no
// more.
[[nodiscard]] int shared_bytes_of_split(const GpuLimits& limits, CachePreference cache, int shared_bytes);

// L1 of a multiprocessor in bytes, where the blocks on it have `resident_bytes` of shared memory together;
// 0 before 2.0.
[[nodiscard]] std::uint64_t l1_bytes(const GpuLimits& limits, CachePreference cache, int shared_bytes,
                                     std::uint64_t resident_bytes);

}  // namespace ws
