#include "gpu/analysis/l2_share.h"

#include <algorithm>
#include <cmath>

#include "gpu/analysis/filling_cache.h"
#include "gpu/analysis/measured_points.h"
#include "gpu/analysis/scattered.h"

namespace ws {
namespace {

constexpr int kShareWays = 16;

// Measured on an H200 (bench/l2_kept): launches one after the other that load, copy, or make gray what lies
// in so many times the bytes of the second level, and the part of it that each reads from device memory.
struct Moved {
    double bytes_over_l2, part;
};
constexpr Moved kMoved[] = {{0.4, 0},     {0.47, 0.01}, {0.53, 0.05}, {0.6, 0.13}, {0.67, 0.3},
                            {0.73, 0.61}, {0.8, 0.87},  {0.87, 0.97}, {0.93, 1}};
// What many multiprocessors load takes so many times the room of what one does (the bytes of 3 x 3 points,
// there): both partitions keep it.
constexpr double kRoomOfMany = 1.4;

// Of bytes that a sample of blocks says of all.
constexpr double kAsSampled = 1.1;

// Bytes that the share lacks.
struct Loaded {
    double wanted = 0;
    double brought = 0;  // with the other half of each 64 bytes
    // Of what is brought the part that comes from device memory, if so much of what is wanted does: with what
    // another multiprocessor brings comes the other half of that.
    [[nodiscard]] double part_of(double device_bytes) const {
        if (brought <= 0) return 0;
        const double others_bring = std::max(0.0, wanted - device_bytes);
        const double halves = std::max(0.0, brought - wanted - others_bring);
        return std::min(1.0, (device_bytes + halves) / brought);
    }
};

// For what the traced blocks load and store, one block after the other; atomics are done there.
struct Lacking {
    Loaded loads, scattered;
    double whole_stores = 0;  // of sectors that nobody else stores to
    double other_stores = 0, atomics = 0;
    std::vector<LineSectors> of_last_block;  // for its loads
    [[nodiscard]] double stores() const { return whole_stores + other_stores; }
    [[nodiscard]] double others() const { return loads.wanted + stores() + atomics; }  // not scattered
    void operator*=(double times) {
        for (double* one : {&loads.wanted, &loads.brought, &scattered.wanted, &scattered.brought,
                            &whole_stores, &other_stores, &atomics})
            *one *= times;
    }
};

int sectors_of(std::span<const LineSectors> lines) {
    int sum = 0;
    for (const LineSectors line : lines) sum += line.count();
    return sum;
}

int pairs_of(std::span<const LineSectors> lines) {
    int sum = 0;
    for (const LineSectors line : lines) sum += line.in_pairs().count();
    return sum;
}

class Share {
  public:
    // `before`: what it has been asked for.
    Share(std::uint64_t bytes, std::span<const LineSectors> before)
        : cache_(l2_share(bytes), Grain::pair, Home::partition) {
        (void)cache_.ask(before);
    }

    void begin_block() { lacking_.of_last_block.clear(); }
    void ask(const TracedAccess& access, std::span<const LineSectors> lines) {
        const bool stores = access.kind == MachineKind::store;
        if (access.kind == MachineKind::atomic && access.space == MemorySpace::global)
            lacking_.atomics += kSectorBytes * access.past_l1;
        // What lies anywhere is everybody's: the share is no measure for it.
        if (scattered_over(lines) > 0) {
            lacking_.scattered.wanted += bytes_of(sectors_of(lines));
            lacking_.scattered.brought += bytes_of(stores ? sectors_of(lines) : pairs_of(lines));
        } else if (stores) {
            store(lines, 1 - double(access.parts) / std::max<int>(1, access.sectors));
        } else {
            load(lines);
        }
    }
    [[nodiscard]] const Lacking& lacking() const { return lacking_; }

  private:
    static double bytes_of(int sectors) { return double(kSectorBytes) * sectors; }

    void load(std::span<const LineSectors> lines) {
        (void)cache_.ask(lines);
        const std::span<const LineSectors> missing = cache_.missing();
        lacking_.loads.wanted += bytes_of(cache_.first_asked_sectors());
        lacking_.loads.brought += bytes_of(sectors_of(missing));
        lacking_.of_last_block.insert(lacking_.of_last_block.end(), missing.begin(), missing.end());
    }
    // `whole`: the part that is stored as whole sectors.
    void store(std::span<const LineSectors> lines, double whole) {
        int lacks = 0;
        for (const LineSectors line : lines) lacks += sectors_in(cache_.put(line).missing);
        lacking_.whole_stores += whole * bytes_of(lacks);
        lacking_.other_stores += (1 - whole) * bytes_of(lacks);
    }

    FillingCache cache_;
    Lacking lacking_;
};

Lacking share_lacks(const KernelTrace& trace, std::uint64_t share_bytes) {
    Share share(share_bytes, trace.before);
    for (const WarpTrace& warp : trace.warps) {
        if (warp.warp == 0) share.begin_block();
        for (const TracedAccess& access : warp.accesses)
            if (access.space != MemorySpace::local) share.ask(access, warp.asked_by(access));
    }
    return share.lacking();
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
    const double bytes = demand.device_bytes;
    const double least = demand.unique_bytes > 0 ? std::min(demand.unique_bytes, bytes) : bytes;
    const double l2_bytes = std::max(1.0, demand.l2_bytes);
    if (moved_part((kRoomOfMany * demand.room * bytes + demand.bytes_between) / l2_bytes) == 0)
        return {{0, 0, 0, 0, 0}, 0, {}};
    Lacking lacking = share_lacks(trace, share_bytes);
    lacking *= demand.times;
    // Sectors that are stored as a whole are nobody else's: it is the others of which several multiprocessors
    // lack the same. Unless they are far more than the launch moves: the sample may say a little too much.
    const double own = lacking.whole_stores < kAsSampled * bytes ? std::min(lacking.whole_stores, bytes) : 0;
    const double of_several = share_of(bytes - own, lacking.others() - own);
    const double loaded = of_several * lacking.loads.wanted;
    const double stores = lacking.stores();
    L2Misses made;
    made.past.loads = lacking.loads.part_of(loaded);
    made.past.stores = stores > 0 ? (own + of_several * (stores - own)) / stores : of_several;
    made.past.atomics = of_several;
    // Where each sector is stored to by one or by two multiprocessors.
    made.past.alone = std::clamp(2 * made.past.stores - 1, 0.0, 1.0);
    // What is not scattered comes once at least; what is, and stays in the second level, once.
    const double left = least - own - of_several * (lacking.others() - own);
    made.past.scattered = lacking.scattered.part_of(std::clamp(left, 0.0, lacking.scattered.wanted));
    // Of so many multiprocessors that load a line all are of the first one's partition with this chance.
    const double readers = of_several > 0 ? 1 / of_several : 1;
    const double in_one_partition = std::exp2(1 - readers);
    const double room = demand.room * (least + (kRoomOfMany - 1) * (1 - in_one_partition) * loaded);
    made.moved = moved_part((room + demand.bytes_between) / l2_bytes);
    PastL2& past = made.past;
    for (double* one : {&past.loads, &past.stores, &past.atomics, &past.scattered, &past.alone})
        *one *= made.moved;
    made.of_last_block = std::move(lacking.of_last_block);
    return made;
}

double moved_part(double bytes_over_l2) {
    const AmongPoints at = among_points(kMoved, &Moved::bytes_over_l2, bytes_over_l2);
    return kMoved[at.before].part + at.share * (kMoved[at.after].part - kMoved[at.before].part);
}

}  // namespace ws
