#pragma once
// An access of a warp as the sectors that the caches see.

#include "gpu/simt/cache_hierarchy.h"
#include "gpu/simt/traffic.h"

namespace ws::simt {

// Sectors that the second level sees: all of a store, of a load those that the first level lacks.
struct CacheTraffic {
    int sectors = 0;
    int past_l1 = 0;
};
// Sends each sector of an access to global memory through the caches, in the order of the lanes. Atomics pass
// them by.
[[nodiscard]] CacheTraffic send(CacheHierarchy& caches, const WarpAccess& access);
[[nodiscard]] CacheTraffic send(CacheHierarchy& caches, const TextureRequest& request);

}  // namespace ws::simt
