#include "gpu/analysis/l2_share.h"

#include <algorithm>

#include "gpu/analysis/filling_cache.h"
#include "gpu/analysis/scattered.h"

namespace ws {
namespace {

constexpr int kShareWays = 16;

// Bytes that the share lacks of what the traced blocks load and store, one block after the other; atomics are
// done there.
struct Lacking {
    double scattered = 0, others = 0;
};

int sectors_of(std::span<const LineSectors> lines) {
    int sum = 0;
    for (const LineSectors line : lines) sum += line.count();
    return sum;
}

// Sectors that the share has not had lately; it has them then.
int lacking_of(FillingCache& share, MachineKind kind, std::span<const LineSectors> lines) {
    if (kind != MachineKind::store) {
        (void)share.ask(lines);
        return sectors_of(share.missing());
    }
    int sum = 0;
    for (const LineSectors line : lines) sum += sectors_in(share.put(line).missing);
    return sum;
}

Lacking share_lacks(const KernelTrace& trace, std::uint64_t share_bytes) {
    FillingCache share(l2_share(share_bytes), Grain::sector, Home::partition);
    (void)share.ask(trace.before);
    Lacking sum;
    for (const WarpTrace& warp : trace.warps) {
        for (const TracedAccess& access : warp.accesses) {
            if (access.space == MemorySpace::local) continue;
            if (access.kind == MachineKind::atomic && access.space == MemorySpace::global)
                sum.others += double(kSectorBytes) * access.past_l1;
            const std::span<const LineSectors> asked = warp.asked_by(access);
            // What lies anywhere is everybody's: the share is no measure for it.
            const bool scattered = scattered_over(asked) > 0;
            const int lacks = scattered ? sectors_of(asked) : lacking_of(share, access.kind, asked);
            (scattered ? sum.scattered : sum.others) += double(kSectorBytes) * lacks;
        }
    }
    return sum;
}

double share_of(double part, double whole) {
    return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0;
}

}  // namespace

// Measured on an H200 (docs/clock.md): of lines that come again and again and do not fit, a third is there.
CacheLevel l2_share(std::uint64_t bytes) {
    return CacheLevel::with_all_of(bytes, kShareWays, Replaced::not_lately);
}

L2Misses l2_misses(const KernelTrace& trace, std::uint64_t share_bytes, const L2Demand& demand) {
    if (demand.device_bytes <= 0) return {};
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
