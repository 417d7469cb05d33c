#include "gpu/simt/memory_access.h"
#include "gpu/simt/partitions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "gpu/simt/cache_probe.h"
#include "gpu/simt/places.h"

namespace ws::simt {
namespace {

using std::uint32_t;
using std::uint64_t;

constexpr uint64_t kStepsLaneByLane = 8;

// The active lanes of an access, packed together.
struct Packed {
    std::array<uint64_t, 32> addresses;
    std::array<std::uint8_t, 32> lanes;
    std::size_t count = 0;
};

Packed pack(const uint64_t* addresses, uint32_t mask) {
    Packed made;
    for (; mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        made.addresses[made.count] = addresses[lane];
        made.lanes[made.count++] = std::uint8_t(lane);
    }
    return made;
}

void add(SiteCounts& site, const Traffic& traffic) {
    ++site.requests;
    site.sectors += traffic.sectors;
    site.bytes_requested += traffic.bytes_requested;
    site.bytes_transferred += traffic.bytes_transferred;
    site.replays += traffic.replays;
}

void add(SiteCounts& site, const BankWavefronts& banks) {
    ++site.requests;
    site.sectors += banks.wavefronts;
    site.bytes_requested += banks.ideal;
    site.bytes_transferred += banks.broadcast;
    site.ways = std::max(site.ways, banks.ways);
}

void probe_caches(CacheProbe& caches, const Packed& packed, int bytes, bool store) {
    uint64_t last = ~0ull;
    for (std::size_t i = 0; i < packed.count; ++i) {
        const uint64_t end = (packed.addresses[i] + uint64_t(bytes) - 1) / 32;
        for (uint64_t sector = packed.addresses[i] / 32; sector <= end; ++sector) {
            if (sector == last) continue;
            last = sector;
            store ? caches.store(sector) : caches.load(sector);
        }
    }
}

// Keeps the addresses of the access that `site` counted last; `before` is what it held until then.
void keep_example(Worker& worker, const Instruction& instruction, const uint64_t* addresses, uint32_t mask,
                  bool shared, bool store, const SiteCounts& before, const SiteCounts& site) {
    AccessExample example;
    example.line = instruction.line;
    example.shared = shared;
    example.store = store;
    example.bytes = instruction.bytes * instruction.count;
    example.mask = mask;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        example.addresses[lane] = shared ? addresses[lane] : addresses[lane] - kGlobalBase;
    example.block_x = worker.block[0];
    example.block_y = worker.block[1];
    example.sectors = int(site.sectors - before.sectors);
    example.bytes_requested = shared ? 0 : int(site.bytes_requested - before.bytes_requested);
    example.bytes_transferred = shared ? 0 : int(site.bytes_transferred - before.bytes_transferred);
    worker.examples->push_back(example);
    worker.exampled[std::size_t(instruction.site)] = true;
}

bool is_store(const Instruction& instruction) {
    return instruction.modifiers.variant == 1;
}

// The local addresses of a warp as the hardware lays them out: word by word, the lanes side by side.
void interleave(uint64_t* addresses, uint32_t mask) {
    for (; mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        uint64_t& address = addresses[lane];
        if (address >= kLocalWindow) address -= kLocalWindow;
        address = address / 4 * (4 * kLanes) + uint64_t(lane) * 4 + address % 4;
    }
}

void count_local(Worker& worker, SiteCounts& site, const Instruction& instruction, const uint64_t* addresses,
                 uint32_t mask) {
    uint64_t laid_out[kLanes];
    std::copy(addresses, addresses + kLanes, laid_out);
    interleave(laid_out, mask);
    const Packed packed = pack(laid_out, mask);
    // An access of several words is several rows of 128 bytes.
    const int words = std::max(1, instruction.bytes * instruction.count / 4);
    Traffic sum;
    for (int word = 0; word < words; ++word) {
        const Traffic traffic =
            global_traffic(is_store(instruction) ? worker.rules.stores : worker.rules.loads,
                           {packed.addresses.data(), packed.count}, {packed.lanes.data(), packed.count},
                           std::min(4, int(instruction.bytes)));
        sum.sectors += traffic.sectors;
        sum.bytes_requested += traffic.bytes_requested;
        sum.bytes_transferred += traffic.bytes_transferred;
        sum.replays += traffic.replays + (word > 0);
    }
    add(site, sum);
    ++site.local_requests;
}

// The space that an access counts for: a generic one where its first active lane goes.
Space counted_space(const Instruction& instruction, const uint64_t* addresses, uint32_t mask) {
    if (instruction.space != Space::generic) return instruction.space;
    return space_of(addresses[std::countr_zero(mask)]);
}

}  // namespace

void count_partitions(Worker& worker, const Instruction& instruction, const uint64_t* addresses,
                      uint32_t mask) {
    const Packed packed = pack(addresses, mask);
    add_request(worker.partitions, worker.rules.loads, {packed.addresses.data(), packed.count},
                {packed.lanes.data(), packed.count}, instruction.bytes * instruction.count);
}

void count_access(Worker& worker, const Instruction& instruction, const uint64_t* addresses, uint32_t mask) {
    SiteCounts& site = worker.sites[instruction.site];
    const int bytes = instruction.bytes * instruction.count;
    const Space space = counted_space(instruction, addresses, mask);
    const bool store = is_store(instruction);
    if (space == Space::local) {
        count_local(worker, site, instruction, addresses, mask);
        return;
    }
    const bool first = worker.examples && !worker.exampled[std::size_t(instruction.site)];
    const SiteCounts before = first ? site : SiteCounts{};
    if (space == Space::shared) {
        site.generic_shared = true;
        const Packed packed = pack(addresses, mask);
        const BankRule rule = store ? worker.rules.shared_stores : worker.rules.shared_loads;
        add(site, bank_wavefronts(rule, {packed.addresses.data(), packed.count},
                                  {packed.lanes.data(), packed.count}, bytes));
        if (first) keep_example(worker, instruction, addresses, mask, true, store, before, site);
        return;
    }
    if (space == Space::constant) {
        Packed packed = pack(addresses, mask);
        std::sort(packed.addresses.begin(), packed.addresses.begin() + std::ptrdiff_t(packed.count));
        const auto end =
            std::unique(packed.addresses.begin(), packed.addresses.begin() + std::ptrdiff_t(packed.count));
        ++site.requests;
        site.sectors += uint64_t(end - packed.addresses.begin());
        return;
    }
    if (!worker.partitions.empty()) count_partitions(worker, instruction, addresses, mask);
    const GlobalRule rule = store ? worker.rules.stores : worker.rules.loads;
    const Packed packed = pack(addresses, mask);
    add(site, global_traffic(rule, {packed.addresses.data(), packed.count},
                             {packed.lanes.data(), packed.count}, bytes));
    if (worker.caches) probe_caches(*worker.caches, packed, bytes, store);
    if (first) keep_example(worker, instruction, addresses, mask, false, store, before, site);
}

void load_lane_by_lane(Warp& warp, const Instruction& instruction, const uint64_t* addresses,
                       int register_bytes, bool is_signed) {
    const int element = instruction.bytes;
    const int whole = element * instruction.count;
    uint32_t counted = 0;
    warp.worker->steps += kStepsLaneByLane;
    for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        const std::byte* place = place_of(warp, instruction, lane, addresses[lane], whole, Access::read);
        if (place) counted |= 1u << lane;
        for (int i = 0; i < instruction.count; ++i) {
            uint64_t value = 0;
            if (place) std::memcpy(&value, place + i * element, std::size_t(element));
            if (is_signed) value = uint64_t(std::int64_t(value << (64 - 8 * element)) >> (64 - 8 * element));
            const std::int32_t out = instruction.count == 1 ? instruction.d : instruction.v[i];
            if (register_bytes == 8) {
                slot<uint64_t>(warp, out)[lane] = value;
            } else {
                slot<uint32_t>(warp, out)[lane] = uint32_t(value);
            }
        }
    }
    if (warp.worker->sites && counted) count_access(*warp.worker, instruction, addresses, counted);
}

void store_lane_by_lane(Warp& warp, const Instruction& instruction, const uint64_t* addresses,
                        int register_bytes) {
    const int element = instruction.bytes;
    const int whole = element * instruction.count;
    uint32_t counted = 0;
    warp.worker->steps += kStepsLaneByLane;
    for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        std::array<std::byte, 4 * sizeof(uint64_t)> values{};
        for (int i = 0; i < instruction.count; ++i) {
            const std::int32_t from = instruction.count == 1 ? instruction.d : instruction.v[i];
            const uint64_t value =
                register_bytes == 8 ? slot<uint64_t>(warp, from)[lane] : slot<uint32_t>(warp, from)[lane];
            std::memcpy(values.data() + i * element, &value, std::size_t(element));
        }
        std::byte* place =
            place_of(warp, instruction, lane, addresses[lane], whole, Access::write, values.data());
        if (!place) continue;
        counted |= 1u << lane;
        std::copy_n(values.begin(), whole, place);
    }
    if (warp.worker->sites && counted) count_access(*warp.worker, instruction, addresses, counted);
}

void touch(const Region& region, uint64_t low, uint64_t end, const uint64_t* addresses, uint32_t mask,
           int bytes, bool in_a_row) {
    if (in_a_row) {
        std::memset(region.touched + (low - region.base) / 32, 1,
                    (end - 1 - region.base) / 32 - (low - region.base) / 32 + 1);
        return;
    }
    for (; mask != 0; mask &= mask - 1) {
        const uint64_t at = addresses[std::countr_zero(mask)] - region.base;
        for (uint64_t sector = at / 32; sector <= (at + uint64_t(bytes) - 1) / 32; ++sector)
            region.touched[sector] = 1;
    }
}

}  // namespace ws::simt
