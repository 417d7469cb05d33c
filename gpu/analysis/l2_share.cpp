#include "gpu/analysis/l2_share.h"

#include <algorithm>
#include <bit>

#include "gpu/analysis/scattered.h"
#include "gpu/core/cache_level.h"

namespace ws {
namespace {

// Bytes that the share lacks of what the traced blocks load and store, one block after the other; atomics are
// done there.
struct Lacking {
    double scattered = 0, others = 0;
};

Lacking share_lacks(const KernelTrace& trace, std::uint64_t share_bytes) {
    CacheLevel share = CacheLevel::with_all_of(share_bytes, kL2ShareWays);
    for (const LineSectors line : trace.before) share.take(line);
    Lacking sum;
    for (const WarpTrace& warp : trace.warps) {
        for (const TracedAccess& access : warp.accesses) {
            if (access.space == MemorySpace::local) continue;
            if (access.kind == MachineKind::atomic && access.space == MemorySpace::global)
                sum.others += double(kSectorBytes) * access.past_l1;
            int lacks = 0;
            for (const LineSectors line : warp.asked_by(access))
                lacks += std::popcount(share.take(line).missing);
            if (lacks == 0) continue;
            const bool scattered = scattered_over(warp.asked_by(access)) > 0;
            (scattered ? sum.scattered : sum.others) += double(kSectorBytes) * lacks;
        }
    }
    return sum;
}

double share_of(double part, double whole) {
    return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0;
}

}  // namespace

L2Misses l2_misses(const KernelTrace& trace, std::uint64_t share_bytes, const L2Demand& demand) {
    Lacking lacking = share_lacks(trace, share_bytes);
    lacking.scattered *= demand.times;
    lacking.others *= demand.times;
    const double bytes = demand.device_bytes;
    const double least = demand.unique_bytes > 0 ? std::min(demand.unique_bytes, bytes) : bytes;
    L2Misses made;
    made.others = share_of(bytes, lacking.others);
    // What is not scattered comes once at least; what is, and stays in the second level, once.
    made.scattered = share_of(least - made.others * lacking.others, lacking.scattered);
    return made;
}

}  // namespace ws
