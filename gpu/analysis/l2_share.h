#pragma once
// The second level as a multiprocessor sees it: as if each had a share of it as a cache of its own.

#include <cstdint>

#include "gpu/core/cache_level.h"
#include "gpu/core/warp_trace.h"

namespace ws {

// Of so many bytes.
[[nodiscard]] CacheLevel l2_share(std::uint64_t bytes);

// What a launch asks of the second level and of device memory.
struct L2Demand {
    double times = 1;         // as many blocks as are traced make the launch
    double device_bytes = 0;  // that come from device memory; 0: the launch before has left all
    double unique_bytes = 0;  // in sectors that are touched at least once
};

// Of the sectors that a multiprocessor's share lacks, the part that comes from device memory: other
// multiprocessors have brought the rest.
struct L2Misses {
    double others = 0, scattered = 0;
};
[[nodiscard]] L2Misses l2_misses(const KernelTrace& trace, std::uint64_t share_bytes, const L2Demand& demand);

}  // namespace ws
