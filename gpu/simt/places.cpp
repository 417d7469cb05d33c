#include "gpu/simt/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "gpu/simt/block_shadow.h"
#include "gpu/simt/report.h"
#include "gpu/simt/special_operations.h"

namespace ws::simt {
namespace {

using std::uint64_t;
using Verdict = BlockShadow::Verdict;

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

std::string name_of(const Region& region) {
    return region.index < 0 ? "a variable" : fmt::format("buffer {}", region.index);
}

// One lane's access, with what its findings need to know.
struct LaneAccess {
    Warp& warp;
    const Instruction& instruction;
    int lane;
    Touch touch;

    [[nodiscard]] Worker& worker() const { return *warp.worker; }
    template <typename Message>
    void report(Finding::Kind kind, const Message& message) const {
        simt::report(warp, instruction, lane, kind, message);
    }
};

bool is_compare_and_swap(const LaneAccess& access) {
    return access.touch.reads && access.touch.writes &&
           Reduction(access.instruction.modifiers.variant) == Reduction::cas;
}

// Reports what the block's shadow found of an access to `what`.
template <typename What>
void report_answer(const LaneAccess& access, const BlockShadow::Answer& answer, bool shared, uint64_t place,
                   const What& what) {
    const Worker& worker = access.worker();
    const char* verb = simt::verb(access.touch.writes);
    switch (answer.verdict) {
        case Verdict::fine:
            return;
        case Verdict::uninitialised:
            return access.report(Finding::Kind::uninitialised, [&] {
                return fmt::format("read of {} bytes at {} that no thread of the block wrote",
                                   access.touch.bytes, what());
            });
        case Verdict::same_value:
            return access.report(Finding::Kind::same_value, [&] {
                return fmt::format(
                    "write at {} of the value that thread {} wrote: no barrier lies between them", what(),
                    thread_text(worker, answer.other));
            });
        case Verdict::revalued:
            return worker.shadow->doubt(
                {&access.instruction, access.touch.thread, answer.other, shared, place});
        case Verdict::pending:
            return access.report(Finding::Kind::async_copy, [&] {
                return fmt::format(
                    "{} at {}, to which the cp.async of line {} by thread {} still copies: no wait lies "
                    "between "
                    "them",
                    verb, what(), answer.copy_line, thread_text(worker, answer.other));
            });
        case Verdict::race:
            return access.report(shared ? Finding::Kind::race_shared : Finding::Kind::race_global, [&] {
                const std::string copied =
                    answer.copy_line ? fmt::format(", which copied by cp.async in line {}", answer.copy_line)
                                     : "";
                return fmt::format("{} at {} races with thread {}{}: no barrier lies between them", verb,
                                   what(), thread_text(worker, answer.other), copied);
            });
    }
}

// In bounds or reported.
std::byte* shared_bytes(const LaneAccess& access, uint64_t offset) {
    const Worker& worker = access.worker();
    const int bytes = access.touch.bytes;
    if (offset < kWindowSize && offset + uint64_t(bytes) <= worker.shared_bytes)
        return worker.shared + offset;
    access.report(Finding::Kind::out_of_bounds, [&] {
        return fmt::format("{} of {} bytes at offset {} of the block's {} bytes of shared memory",
                           verb(access.touch.writes), bytes, std::int64_t(offset), worker.shared_bytes);
    });
    return nullptr;
}

std::byte* shared_place(LaneAccess& access, uint64_t offset) {
    const Worker& worker = access.worker();
    std::byte* place = shared_bytes(access, offset);
    if (place && worker.shadow) {
        access.touch.memory = place;
        if (is_compare_and_swap(access)) worker.shadow->clear_doubt(access.touch.thread, offset);
        report_answer(access, worker.shadow->shared(offset, access.touch), true, offset,
                      [&] { return fmt::format("offset {} of shared memory", offset); });
    }
    return place;
}

// What the marks of other blocks say of an access.
struct BetweenBlocks {
    bool empty = false;
    bool race = false;
    bool same_value = false;
    bool revalued = false;
};

// Whether flags that the block has read put the last write of a byte of an access before it.
bool ordered_after(const Worker& worker, const Region& region, uint64_t offset, std::size_t byte) {
    const GridOrder::Flags& flags = worker.read_flags;
    if (!worker.grid_order || flags.empty()) return false;
    const uint64_t address = region.base + offset;
    if (std::find(flags.begin(), flags.end(), address) != flags.end() && worker.grid_order->is_flag(address))
        return true;
    return worker.grid_order->covers(flags, region.records[offset + byte]);
}

BetweenBlocks mark_bytes(const LaneAccess& access, const Region& region, uint64_t offset, bool publishes) {
    Worker& worker = access.worker();
    const Touch& touch = access.touch;
    const bool atomic = touch.strength == Strength::strong && access.instruction.beyond_block;
    const bool strong = atomic || (touch.strength == Strength::is_volatile && (!touch.writes || publishes));
    const std::uint16_t own = mark_of_block(worker.linear_block);
    BetweenBlocks found;
    for (std::size_t k = 0; k < std::size_t(touch.bytes); ++k) {
        std::atomic_ref<std::uint16_t> mark(region.shadow[offset + k]);
        const std::uint16_t before = mark.load(std::memory_order_relaxed);
        const bool by_strong = (before & kByAtomic) != 0;
        const bool foreign = before > kGiven && (before & ~kByAtomic) != own;
        found.empty = found.empty || before == kUnwritten;
        if (foreign && !(by_strong && strong)) {
            if (!ordered_after(worker, region, offset, k)) {
                if (touch.writes && touch.value && touch.value[k] == touch.memory[k])
                    found.same_value = true;
                else if (!touch.writes && by_strong && touch.strength == Strength::plain)
                    found.revalued = true;
                else
                    found.race = true;
            }
        }
        if (!touch.writes) continue;
        const bool several = strong && foreign && by_strong;
        mark.store(strong ? std::uint16_t(kByAtomic | (several ? 0 : own)) : own, std::memory_order_relaxed);
    }
    return found;
}

// Fences and flags between blocks; whether the access is a volatile write that publishes.
bool begin_grid_ordering(const LaneAccess& access, uint64_t address) {
    Worker& worker = access.worker();
    const Touch& touch = access.touch;
    if (!worker.grid_order || touch.strength == Strength::plain || !access.instruction.beyond_block)
        return false;
    const auto known = std::find(worker.read_flags.begin(), worker.read_flags.end(), address);
    if (touch.reads && known == worker.read_flags.end()) worker.read_flags.push_back(address);
    ThreadOrder& order = worker.shadow->order();
    if (!touch.writes || !(touch.releases || order.fenced(touch.thread, true))) return false;
    worker.grid_order->set_flag(address, std::uint32_t(worker.linear_block), order.epoch(),
                                order.known_to(touch.thread, touch.releases), worker.read_flags);
    return touch.strength == Strength::is_volatile;
}

void check_between_blocks(const LaneAccess& access, const Region& region, uint64_t address) {
    Worker& worker = access.worker();
    const uint64_t offset = address - region.base;
    const Touch& touch = access.touch;
    const bool publishes = begin_grid_ordering(access, address);
    const BetweenBlocks found = mark_bytes(access, region, offset, publishes);
    if (touch.reads && found.empty) {
        access.report(Finding::Kind::uninitialised, [&] {
            return fmt::format("read of {} bytes at offset {} of {} that nothing wrote", touch.bytes, offset,
                               name_of(region));
        });
    }
    if (found.race) {
        access.report(Finding::Kind::race_global, [&] {
            return fmt::format("{} at offset {} of {} races with a write by another block",
                               verb(touch.writes), offset, name_of(region));
        });
    } else if (found.revalued) {
        worker.shadow->doubt({&access.instruction, touch.thread, -1, false, address});
    } else if (found.same_value) {
        access.report(Finding::Kind::same_value, [&] {
            return fmt::format("write at offset {} of {} of the value that another block wrote", offset,
                               name_of(region));
        });
    }
    if (touch.writes && region.records) {
        const ThreadOrder& order = worker.shadow->order();
        const WriteRecord record{std::uint32_t(worker.linear_block), order.epoch(),
                                 order.time_of(touch.thread), std::uint16_t(touch.thread)};
        std::fill_n(region.records + offset, touch.bytes, record);
    }
}

std::byte* global_place(LaneAccess& access, uint64_t address) {
    Worker& worker = access.worker();
    const Touch& touch = access.touch;
    const int bytes = touch.bytes;
    const Region* region = find_region(worker, address, address + uint64_t(bytes));
    if (!region || (touch.writes && !region->writable)) {
        access.report(Finding::Kind::out_of_bounds, [&] {
            if (region)
                return fmt::format("write of {} bytes to the read-only buffer {}", bytes, region->index);
            return fmt::format("{} of {} bytes: {}", verb(touch.writes), bytes, buffer_text(worker, address));
        });
        return nullptr;
    }
    const uint64_t offset = address - region->base;
    std::byte* place = region->data + offset;
    if (worker.shadow && region->writable) {
        access.touch.memory = place;
        if (is_compare_and_swap(access)) worker.shadow->clear_doubt(touch.thread, address);
        if (region->shadow) check_between_blocks(access, *region, address);
        report_answer(access, worker.shadow->global(address, touch), false, address,
                      [&] { return fmt::format("offset {} of {}", offset, name_of(*region)); });
    }
    if (region->touched) {
        for (uint64_t at = offset / 32; at <= (offset + uint64_t(bytes) - 1) / 32; ++at)
            region->touched[at] = 1;
    }
    return place;
}

std::byte* local_place(const LaneAccess& access, uint64_t offset) {
    const Worker& worker = access.worker();
    if (offset + uint64_t(access.touch.bytes) > worker.local_bytes) {
        access.report(Finding::Kind::out_of_bounds, [&] {
            return fmt::format("{} of {} bytes at offset {} of the thread's {} bytes of local memory",
                               verb(access.touch.writes), access.touch.bytes, std::int64_t(offset),
                               worker.local_bytes);
        });
        return nullptr;
    }
    return access.warp.local + uint64_t(access.lane) * worker.local_bytes + offset;
}

bool misaligned(const LaneAccess& access, uint64_t address) {
    const int bytes = access.touch.bytes;
    if (address % uint64_t(bytes) == 0) return false;
    access.report(Finding::Kind::misaligned, [&] {
        return fmt::format("{} of {} bytes at address {:#x}, which is not a multiple of {}",
                           verb(access.touch.writes), bytes, address, bytes);
    });
    return true;
}

}  // namespace

Space space_of(uint64_t address) {
    if (address - kSharedWindow < kWindowSize) return Space::shared;
    if (address - kLocalWindow < kWindowSize) return Space::local;
    if (address >= kConstantBase) return Space::constant;
    return Space::global;
}

std::byte* place_of(Warp& warp, const Instruction& instruction, int lane, uint64_t address, int bytes,
                    Access kind, const std::byte* value) {
    LaneAccess access{warp, instruction, lane, {}};
    access.touch = {warp.index * kLanes + lane,
                    kind != Access::write,
                    kind != Access::read,
                    instruction.strength,
                    instruction.releases,
                    bytes,
                    nullptr,
                    value};
    if (misaligned(access, address)) return nullptr;
    Space space = instruction.space;
    if (space == Space::generic) {
        space = space_of(address);
        if (space == Space::shared) address -= kSharedWindow;
        if (space == Space::local) address -= kLocalWindow;
    }
    switch (space) {
        case Space::shared:
            return shared_place(access, address);
        case Space::local:
            return local_place(access, address >= kLocalWindow ? address - kLocalWindow : address);
        case Space::constant: {
            const Region* constants = warp.worker->constants;
            if (constants && kind == Access::read && address >= constants->base &&
                address + uint64_t(bytes) - constants->base <= constants->size)
                return constants->data + (address - constants->base);
            access.report(Finding::Kind::out_of_bounds, [&] {
                return fmt::format("{} of {} bytes outside the constant variables",
                                   verb(kind != Access::read), bytes);
            });
            return nullptr;
        }
        default:
            return global_place(access, address);
    }
}

std::byte* place_of_copy(Warp& warp, const Instruction& instruction, int lane, uint64_t offset, int bytes) {
    LaneAccess access{warp, instruction, lane, {}};
    access.touch = {.thread = warp.index * kLanes + lane, .writes = true, .bytes = bytes};
    if (misaligned(access, offset)) return nullptr;
    std::byte* place = shared_bytes(access, offset);
    if (place) {
        report_answer(access, warp.worker->shadow->begin_copy(offset, access.touch, instruction.line), true,
                      offset, [&] { return fmt::format("offset {} of shared memory", offset); });
    }
    return place;
}

void report_doubts(Worker& worker) {
    for (const BlockShadow::Doubt& doubt : worker.shadow->take_doubts()) {
        report(worker, doubt.instruction->line, doubt.thread,
               doubt.shared ? Finding::Kind::race_shared : Finding::Kind::race_global, [&] {
                   const std::string other =
                       doubt.other < 0 ? "another block" : "thread " + thread_text(worker, doubt.other);
                   return fmt::format(
                       "plain read of what atomics write races with {}: no barrier lies between them", other);
               });
    }
}

}  // namespace ws::simt
