#pragma once
// What warps executed, in order, as the simulated GPU saw it: basic blocks of the PTX, and what each access
// asked of the memory.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/core/line_sectors.h"
#include "gpu/core/machine_code.h"

namespace ws {

// Of a line the bytes that are stored, a bit for each, sector by sector.
using StoredBytes = std::array<std::uint32_t, kLineSectors>;
inline constexpr std::uint32_t kWholeSector = ~0U;

// A request of a warp that was made: one that no lane was let through to is none.
struct TracedAccess {
    int ptx_line = 0;
    MachineKind kind = MachineKind::load;     // load, store, atomic, copy or texture
    MemorySpace space = MemorySpace::global;  // where it went: never generic
    std::uint8_t lanes = 0;
    std::uint8_t ways = 1;  // of an atomic: lanes that come one after the other, for one word or bank
    // Of shared memory, and of L1's banks for a load; of constant memory different addresses.
    std::uint16_t wavefronts = 0;
    std::uint8_t lookups = 0;   // of a load of global memory: clocks until L1 has found its lines
    std::uint16_t sectors = 0;  // of global and local memory, and of textures
    std::uint16_t lines = 0;    // of 128 bytes that these lie in
    // Of these: sectors that the second level must bring or take, whatever L1 has. Where L1 decides, none.
    std::uint16_t past_l1 = 0;
    // Of a store: sectors of which some bytes are not stored, and lines with such.
    std::uint16_t parts = 0, lines_of_parts = 0;
    bool by_l1 = false;            // L1 has what it has, of `asked`
    std::uint8_t asked_lines = 0;  // of `WarpTrace::asked`, from the first one on
    int first_asked = 0;
    // Of a store with sectors that are not whole: of `WarpTrace::stored`, as many; else -1.
    int first_stored = -1;
    bool walks = false;  // the warp comes back to what is beside for more (mark_walks)
};

// The way through the function that the machine code calls for operands which a short sequence cannot
// compute: behind a leading 1, bit by bit, whether each branch on the way is taken. 0: not called.
using RareWay = std::uint16_t;

// Lanes whose operands are such.
struct TracedRare {
    int ptx_line = 0;
    std::uint32_t mask = 0;
    RareWay way = 0;
};

// A basic block that a warp went through with these lanes.
struct TracedBlock {
    int block = 0;  // index into KernelTrace::ptx_lines
    std::uint32_t mask = 0;
    int first_access = 0;  // of the warp's; they end where those of the next one begin
    int first_rare = 0;    // likewise
};

struct WarpTrace {
    std::uint64_t thread_block = 0;  // its linear index
    int warp = 0;                    // in the block
    std::uint32_t cut = 0;           // lanes that went on beyond what is written down
    std::vector<TracedBlock> path;
    std::vector<TracedAccess> accesses;
    std::vector<TracedRare> rare;
    // Sectors of global memory and of textures. Of local memory a line is a word of all threads of the warp,
    // from the first one on.
    std::vector<LineSectors> asked;
    [[nodiscard]] std::span<const LineSectors> asked_by(const TracedAccess& access) const {
        return std::span(asked).subspan(std::size_t(access.first_asked), access.asked_lines);
    }
    // What stores write of those lines, where not all of it is whole sectors.
    std::vector<StoredBytes> stored;
    [[nodiscard]] std::span<const StoredBytes> stored_by(const TracedAccess& access) const {
        if (access.first_stored < 0) return {};
        return std::span(stored).subspan(std::size_t(access.first_stored), access.asked_lines);
    }
};

// A KiB of global memory that begins at a multiple of 1024 is shared by two slices of the second level, its
// first and third 256 bytes by one, its second and last by the other. Measured on an H200 (docs/clock.md),
// where KiBs near to each other have other slices.
[[nodiscard]] constexpr std::uint64_t slice_of(std::uint64_t address) {
    return address / 1024 * 2 + address / 256 % 2;
}

// Atomics of global memory in one slice: lanes of a request that want the same word come one after the other,
// those that want other words of the sector together with them.
struct AtomicSlice {
    std::uint64_t slice = 0;            // see slice_of
    double lanes = 0, float_lanes = 0;  // one after the other; of sums of floats
    int blocks = 0;                     // that have some here
    std::uint64_t last_block = 0;
};

struct KernelTrace {
    std::vector<std::vector<int>> ptx_lines;  // of the instructions of each basic block
    std::vector<std::vector<int>> ptx_next;   // basic blocks that may follow each
    std::vector<int> counted;          // how many of these instructions a launch counts (InstructionCounts)
    std::vector<WarpTrace> warps;      // block by block
    std::vector<AtomicSlice> atomics;  // in the order of their slices
    std::vector<LineSectors> before;   // what loads of the blocks before asked L1 for, the last of it
    int local_words = 0;               // of a thread's local memory, as far as it is used
};

}  // namespace ws
