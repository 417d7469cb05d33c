#pragma once
// An access of a warp as the sectors that the caches see.

#include <vector>

#include "gpu/core/line_sectors.h"
#include "gpu/simt/cache_hierarchy.h"
#include "gpu/simt/traffic.h"

namespace ws::simt {

// Sectors that the second level sees: all of a store, of a load those that the first level lacks.
struct CacheTraffic {
    int sectors = 0;
    int past_l1 = 0;
};
// Sends an access to global memory through the caches, line by line in ascending order. Atomics pass them by.
[[nodiscard]] CacheTraffic send(CacheHierarchy& caches, const WarpAccess& access);
[[nodiscard]] CacheTraffic send(CacheHierarchy& caches, const TextureRequest& request);

// The sectors of an access to global memory, or of a request to textures, line by line in ascending order.
void add_lines(const WarpAccess& access, std::vector<LineSectors>& to);
void add_lines(const AscendingAddresses& addresses, std::uint64_t bytes_of_each,
               std::vector<LineSectors>& to);
void add_lines(const TextureRequest& request, std::vector<LineSectors>& to);
// Of one to local memory: a line has a word of all threads of the warp, counted from each thread's first.
void add_local_lines(const WarpAccess& access, std::vector<LineSectors>& to);

}  // namespace ws::simt
