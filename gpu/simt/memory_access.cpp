#include "gpu/simt/memory_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>

#include "gpu/simt/cache_probe.h"
#include "gpu/simt/checks.h"

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
    site.transactions += traffic.transactions;
    site.bytes_requested += traffic.bytes_requested;
    site.bytes_moved += traffic.bytes_moved;
    site.replays += traffic.replays;
}

void add(SiteCounts& site, const BankPasses& passes) {
    ++site.requests;
    site.transactions += passes.wavefronts;
    site.bytes_requested += passes.ideal;
    site.bytes_moved += passes.broadcast;
    site.degree = std::max(site.degree, passes.degree);
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
    example.transactions = int(site.transactions - before.transactions);
    example.bytes_requested = shared ? 0 : int(site.bytes_requested - before.bytes_requested);
    example.bytes_moved = shared ? 0 : int(site.bytes_moved - before.bytes_moved);
    worker.examples->push_back(example);
    worker.exampled[std::size_t(instruction.site)] = true;
}

bool is_store(const Instruction& instruction) {
    return instruction.modifiers.variant == 1;
}

uint64_t order_of(const Warp& warp, int lane) {
    const Worker& worker = *warp.worker;
    const uint64_t block =
        (uint64_t(worker.block[2]) << 40) + (uint64_t(worker.block[1]) << 20) + uint64_t(worker.block[0]);
    return block * 2048 + uint64_t(warp.index) * kLanes + uint64_t(lane);
}

std::string thread_text(const Worker& worker, int thread) {
    const int x = thread % worker.block_shape[0];
    const int y = thread / worker.block_shape[0] % worker.block_shape[1];
    const int z = thread / worker.block_shape[0] / worker.block_shape[1];
    return fmt::format("({}, {}, {})", x, y, z);
}

std::string place_text(const Warp& warp, const Instruction& instruction, int lane) {
    const Worker& worker = *warp.worker;
    return fmt::format("line {}, block ({}, {}, {}), thread {}", instruction.line, worker.block[0],
                       worker.block[1], worker.block[2], thread_text(worker, warp.index * kLanes + lane));
}

template <typename Message>
void report(Warp& warp, const Instruction& instruction, int lane, Finding::Kind kind,
            const Message& message) {
    FindingLog& log = *warp.worker->findings;
    const uint64_t order = order_of(warp, lane);
    if (!log.wants(kind, instruction.line, order)) return;
    log.add(kind, instruction.line, order, message() + ", " + place_text(warp, instruction, lane));
}

const char* verb(bool writes) {
    return writes ? "write" : "read";
}

// The buffer whose end or beginning is nearest, to be named in a message.
std::string buffer_text(const Worker& worker, uint64_t address) {
    const Region* nearest = nullptr;
    uint64_t distance = ~0ull;
    for (const Region& region : *worker.regions) {
        const uint64_t away =
            address < region.base ? region.base - address : address - region.base - region.size;
        if (away < distance) {
            distance = away;
            nearest = &region;
        }
    }
    if (!nearest || distance > (1 << 20)) return fmt::format("address {:#x} is in no buffer", address);
    const std::string name = nearest->index < 0 ? "a variable" : fmt::format("buffer {}", nearest->index);
    return address < nearest->base
               ? fmt::format("{} bytes before {} of {} bytes", nearest->base - address, name, nearest->size)
               : fmt::format("offset {} of {} of {} bytes", address - nearest->base, name, nearest->size);
}

std::byte* shared_place(Warp& warp, const Instruction& instruction, int lane, uint64_t offset, int bytes,
                        bool reads, bool writes, bool atomic) {
    Worker& worker = *warp.worker;
    if (offset >= kWindowSize || offset + uint64_t(bytes) > worker.shared_bytes) {
        report(warp, instruction, lane, Finding::Kind::out_of_bounds, [&] {
            return fmt::format("{} of {} bytes at offset {} of the block's {} bytes of shared memory",
                               verb(writes), bytes, std::int64_t(offset), worker.shared_bytes);
        });
        return nullptr;
    }
    if (worker.shadow) {
        int other = 0;
        const int thread = warp.index * kLanes + lane;
        const BlockShadow::Verdict verdict =
            worker.shadow->shared(offset, bytes, thread, warp.sync_epoch, reads, writes, atomic, other);
        if (verdict == BlockShadow::Verdict::uninitialised) {
            report(warp, instruction, lane, Finding::Kind::uninitialised, [&] {
                return fmt::format(
                    "read of {} bytes at offset {} of shared memory that no thread of the block wrote", bytes,
                    offset);
            });
        } else if (verdict == BlockShadow::Verdict::race) {
            report(warp, instruction, lane, Finding::Kind::race_shared, [&] {
                return fmt::format(
                    "{} at offset {} of shared memory races with thread {}: no barrier lies between them",
                    verb(writes), offset, thread_text(worker, other));
            });
        }
    }
    return worker.shared + offset;
}

void check_global(Warp& warp, const Instruction& instruction, int lane, const Region& region,
                  uint64_t address, int bytes, bool reads, bool writes, bool atomic) {
    Worker& worker = *warp.worker;
    const uint64_t offset = address - region.base;
    if (region.shadow) {
        bool empty = false;
        bool foreign = false;
        for (uint64_t at = offset; at < offset + uint64_t(bytes); ++at) {
            std::atomic_ref<std::uint8_t> mark(region.shadow[at]);
            const std::uint8_t before = mark.load(std::memory_order_relaxed);
            empty = empty || before == 0;
            foreign = foreign || (before >= 2 && before != worker.block_mark);
            // Atomics of several blocks are ordered: they leave the mark of a byte that came with the launch.
            if (writes) mark.store(atomic ? std::uint8_t(1) : worker.block_mark, std::memory_order_relaxed);
        }
        if (reads && empty) {
            report(warp, instruction, lane, Finding::Kind::uninitialised, [&] {
                return fmt::format("read of {} bytes at offset {} of buffer {} that nothing wrote", bytes,
                                   offset, region.index);
            });
        }
        if (foreign && !atomic) {
            report(warp, instruction, lane, Finding::Kind::race_global, [&] {
                return fmt::format("{} at offset {} of buffer {} races with a write by another block",
                                   verb(writes), offset, region.index);
            });
        }
    }
    if (worker.shadow && region.writable) {
        int other = 0;
        const int thread = warp.index * kLanes + lane;
        if (worker.shadow->global(address, bytes, thread, warp.sync_epoch, reads, writes, atomic, other) ==
            BlockShadow::Verdict::race) {
            report(warp, instruction, lane, Finding::Kind::race_global, [&] {
                return fmt::format(
                    "{} at offset {} of buffer {} races with thread {}: no barrier lies between them",
                    verb(writes), offset, region.index, thread_text(worker, other));
            });
        }
    }
}

std::byte* global_place(Warp& warp, const Instruction& instruction, int lane, uint64_t address, int bytes,
                        bool reads, bool writes, bool atomic) {
    Worker& worker = *warp.worker;
    const Region* region = find_region(worker, address, address + uint64_t(bytes));
    if (!region || (writes && !region->writable)) {
        report(warp, instruction, lane, Finding::Kind::out_of_bounds, [&] {
            if (region)
                return fmt::format("write of {} bytes to the read-only buffer {}", bytes, region->index);
            return fmt::format("{} of {} bytes: {}", verb(writes), bytes, buffer_text(worker, address));
        });
        return nullptr;
    }
    if (region->shadow || worker.shadow)
        check_global(warp, instruction, lane, *region, address, bytes, reads, writes, atomic);
    if (region->touched) {
        for (uint64_t at = (address - region->base) / 32;
             at <= (address - region->base + uint64_t(bytes) - 1) / 32; ++at)
            region->touched[at] = 1;
    }
    return region->data + (address - region->base);
}

std::byte* local_place(Warp& warp, const Instruction& instruction, int lane, uint64_t offset, int bytes,
                       bool writes) {
    const Worker& worker = *warp.worker;
    if (offset + uint64_t(bytes) > worker.local_bytes) {
        report(warp, instruction, lane, Finding::Kind::out_of_bounds, [&] {
            return fmt::format("{} of {} bytes at offset {} of the thread's {} bytes of local memory",
                               verb(writes), bytes, std::int64_t(offset), worker.local_bytes);
        });
        return nullptr;
    }
    return warp.local + uint64_t(lane) * worker.local_bytes + offset;
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
        sum.transactions += traffic.transactions;
        sum.bytes_requested += traffic.bytes_requested;
        sum.bytes_moved += traffic.bytes_moved;
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

Space space_of(uint64_t address) {
    if (address - kSharedWindow < kWindowSize) return Space::shared;
    if (address - kLocalWindow < kWindowSize) return Space::local;
    if (address >= kConstantBase) return Space::constant;
    return Space::global;
}

void count_partitions(Worker& worker, const uint64_t* addresses, uint32_t mask) {
    constexpr uint64_t kPartitionBytes = 256;
    uint64_t last = ~0ull;
    for (; mask != 0; mask &= mask - 1) {
        const uint64_t piece = addresses[std::countr_zero(mask)] / 32;
        if (piece != last) ++worker.partitions[piece * 32 / kPartitionBytes % worker.partitions.size()];
        last = piece;
    }
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
        add(site, bank_passes(rule, {packed.addresses.data(), packed.count},
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
        site.transactions += uint64_t(end - packed.addresses.begin());
        return;
    }
    if (!worker.partitions.empty()) count_partitions(worker, addresses, mask);
    const GlobalRule rule = store ? worker.rules.stores : worker.rules.loads;
    const Packed packed = pack(addresses, mask);
    add(site, global_traffic(rule, {packed.addresses.data(), packed.count},
                             {packed.lanes.data(), packed.count}, bytes));
    if (worker.caches) probe_caches(*worker.caches, packed, bytes, store);
    if (first) keep_example(worker, instruction, addresses, mask, false, store, before, site);
}

std::byte* place_of(Warp& warp, const Instruction& instruction, int lane, uint64_t address, int bytes,
                    bool reads, bool writes, bool atomic) {
    if (address % uint64_t(bytes) != 0) {
        report(warp, instruction, lane, Finding::Kind::misaligned, [&] {
            return fmt::format("{} of {} bytes at address {:#x}, which is not a multiple of {}", verb(writes),
                               bytes, address, bytes);
        });
        return nullptr;
    }
    Worker& worker = *warp.worker;
    Space space = instruction.space;
    if (space == Space::generic) {
        space = space_of(address);
        if (space == Space::shared) address -= kSharedWindow;
        if (space == Space::local) address -= kLocalWindow;
    }
    switch (space) {
        case Space::shared:
            return shared_place(warp, instruction, lane, address, bytes, reads, writes, atomic);
        case Space::local:
            return local_place(warp, instruction, lane,
                               address >= kLocalWindow ? address - kLocalWindow : address, bytes, writes);
        case Space::constant: {
            const Region* constants = worker.constants;
            if (constants && !writes && address >= constants->base &&
                address + uint64_t(bytes) - constants->base <= constants->size)
                return constants->data + (address - constants->base);
            report(warp, instruction, lane, Finding::Kind::out_of_bounds, [&] {
                return fmt::format("{} of {} bytes outside the constant variables", verb(writes), bytes);
            });
            return nullptr;
        }
        default:
            return global_place(warp, instruction, lane, address, bytes, reads, writes, atomic);
    }
}

void load_lane_by_lane(Warp& warp, const Instruction& instruction, const uint64_t* addresses,
                       int register_bytes, bool is_signed) {
    const int element = instruction.bytes;
    const int whole = element * instruction.count;
    uint32_t counted = 0;
    warp.worker->steps += kStepsLaneByLane;
    for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        const std::byte* place =
            place_of(warp, instruction, lane, addresses[lane], whole, true, false, false);
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
        std::byte* place = place_of(warp, instruction, lane, addresses[lane], whole, false, true, false);
        if (!place) continue;
        counted |= 1u << lane;
        for (int i = 0; i < instruction.count; ++i) {
            const std::int32_t from = instruction.count == 1 ? instruction.d : instruction.v[i];
            const uint64_t value =
                register_bytes == 8 ? slot<uint64_t>(warp, from)[lane] : slot<uint32_t>(warp, from)[lane];
            std::memcpy(place + i * element, &value, std::size_t(element));
        }
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
