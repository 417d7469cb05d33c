#pragma once
// The state of a warp while it executes, and of the worker thread that executes it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu/core/counters.h"
#include "gpu/simt/access_pattern.h"
#include "gpu/simt/access_rules.h"
#include "gpu/simt/addresses.h"
#include "gpu/simt/grid_order.h"
#include "gpu/simt/instruction.h"
#include "gpu/simt/texture.h"

namespace ws::simt {

class AsyncCopies;
class BlockShadow;
class FindingLog;
class CacheProbe;

// Marks of who wrote a byte last: kUnwritten, kGiven (it came with the launch), else one of the writing
// block.
inline constexpr std::uint16_t kUnwritten = 0;
inline constexpr std::uint16_t kGiven = 1;
inline constexpr std::uint16_t kByAtomic = 0x8000;  // beside the block, or instead of it: several blocks
[[nodiscard]] constexpr std::uint16_t mark_of_block(std::uint64_t linear_index) {
    return std::uint16_t(2 + linear_index % (kByAtomic - 2));
}

// A buffer of the launch.
struct Region {
    std::uint64_t base = 0;
    std::uint64_t size = 0;
    std::byte* data = nullptr;
    std::uint16_t* shadow = nullptr;  // a mark for each byte; null: nothing is recorded
    std::uint8_t* touched = nullptr;  // a byte for each sector, null: not recorded
    bool writable = true;
    int index = 0;                   // of the launch's buffers; -1 for variables of the module
    WriteRecord* records = nullptr;  // for each byte, where the kernel has fences
};

// The counts of one instruction; executions come from the basic blocks.
struct SiteCounts {
    std::uint64_t guarded = 0;        // executions of an instruction under a guard
    std::uint64_t guarded_lanes = 0;  // lanes that the guard let through
    std::uint64_t requests = 0;
    std::uint64_t sectors = 0;            // or wavefronts, or different constant addresses
    std::uint64_t bytes_requested = 0;    // or ideal wavefronts
    std::uint64_t bytes_transferred = 0;  // or broadcasts
    std::uint64_t replays = 0;
    std::uint64_t local_requests = 0;  // a generic access counts where it went; local traffic beside global
    std::uint32_t ways = 0;
    bool generic_shared = false;  // a generic access that went to shared memory: its counts are wavefronts
};

// One worker thread: the block that it executes and where it counts.
struct Worker {
    std::vector<Region>* regions = nullptr;
    const Region* last = nullptr;  // the region of the last access
    const Region* constants = nullptr;
    std::byte* shared = nullptr;
    std::uint64_t shared_bytes = 0;
    std::uint64_t local_bytes = 0;  // of a thread
    AccessRules rules;
    std::vector<AccessPattern> patterns;  // by memory instruction
    // Where the current window's counts of memory partitions go; empty: not counted.
    std::span<PartitionCounts> partitions;
    SiteCounts* sites = nullptr;    // null: nothing is counted
    BlockShadow* shadow = nullptr;  // null: no checks beyond the bounds
    FindingLog* findings = nullptr;
    CacheProbe* caches = nullptr;
    const std::vector<Texture>* textures = nullptr;
    std::vector<AccessExample>* examples = nullptr;  // null: this block's addresses are not kept
    std::vector<bool> exampled;                      // by site: one is kept already
    int block[3] = {0, 0, 0};
    int block_shape[3] = {1, 1, 1};
    std::uint64_t linear_block = 0;
    GridOrder* grid_order = nullptr;  // null: nothing orders blocks
    GridOrder::Flags read_flags;      // of other blocks, by this one
    AsyncCopies* copies = nullptr;    // null: cp.async copies at once
    std::string fault;                // ends the launch; empty: none
    int fault_line = 0;
    std::uint64_t steps = 0;  // warp instructions of this block
};

struct Warp {
    std::byte* frame = nullptr;
    std::uint32_t mask = 0;  // lanes that execute the current instruction
    Worker* worker = nullptr;
    int index = 0;               // in the block
    std::uint32_t live = 0;      // lanes that have not ended
    std::uint32_t ending = 0;    // lanes that will do nothing more
    std::byte* local = nullptr;  // local memory of lane 0; the next lane's follows after local_bytes
};

template <typename T>
[[nodiscard]] inline T* slot(Warp& warp, std::int32_t offset) {
    return reinterpret_cast<T*>(warp.frame + offset);
}
template <typename T>
[[nodiscard]] inline const T* slot(const Warp& warp, std::int32_t offset) {
    return reinterpret_cast<const T*>(warp.frame + offset);
}

// The same, declared to the compiler as aligned to a whole vector.
template <typename T>
[[nodiscard]] inline T* lanes(Warp& warp, std::int32_t offset) {
    return static_cast<T*>(__builtin_assume_aligned(slot<T>(warp, offset), 64));
}

// The region that holds [low, end), or null.
[[nodiscard]] inline const Region* find_region(Worker& worker, std::uint64_t low, std::uint64_t end) {
    const Region* last = worker.last;
    if (last && low >= last->base && end - last->base <= last->size) return last;
    for (const Region& region : *worker.regions) {
        if (low >= region.base && low - region.base < region.size && end - region.base <= region.size) {
            worker.last = &region;
            return &region;
        }
    }
    return nullptr;
}

}  // namespace ws::simt
