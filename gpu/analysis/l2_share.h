#pragma once
// The second level as a multiprocessor sees it: as if each had a share of it as a cache of its own.

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/core/cache_level.h"
#include "gpu/core/line_sectors.h"
#include "gpu/core/warp_trace.h"

namespace ws {

// Of so many bytes.
[[nodiscard]] CacheLevel l2_share(std::uint64_t bytes);

// What a launch among others like it asks of the second level and of device memory.
struct L2Demand {
    double times = 1;          // as many blocks as are traced make the launch
    double device_bytes = 0;   // that are moved if the launch before has left nothing
    double unique_bytes = 0;   // in sectors that are touched at least once
    double bytes_between = 0;  // that other launches touch before the next one like it
    double l2_bytes = 0;       // of the whole second level
    double room = 1;           // that the launch's sectors take of it, compared with whole lines
};

// Of the sectors that a multiprocessor's share lacks, the part that device memory gives or takes: other
// multiprocessors have brought the rest, or have it written, or the launch before has left it. Of what is
// loaded with the other half of each 64 bytes, which device memory gives at least.
struct PastL2 {
    double loads = 1, stores = 1, atomics = 1;
    double scattered = 1;  // of requests whose lines lie anywhere in what the second level keeps
    double alone = 1;      // of what is stored, sectors that no other multiprocessor stores to
    [[nodiscard]] bool is_none() const { return loads == 0 && stores == 0 && atomics == 0 && scattered == 0; }
};

struct L2Misses {
    PastL2 past;
    double moved = 1;  // of all that the launch touches: what the one before it has not left
    std::vector<LineSectors> of_last_block;  // that the share lacked for the loads of the last traced block
};
[[nodiscard]] L2Misses l2_misses(const KernelTrace& trace, std::uint64_t share_bytes, const L2Demand& demand);

// Of what launches touch one after the other, in so many times the bytes of the second level, the part that
// each of them moves anew.
[[nodiscard]] double moved_part(double bytes_over_l2);

}  // namespace ws
