#pragma once
// What warps executed, in order, as the simulated GPU saw it: basic blocks of the PTX, and what each access
// asked of the memory.

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/core/line_sectors.h"
#include "gpu/core/machine_code.h"

namespace ws {

// A request of a warp that was made: one that no lane was let through to is none.
struct TracedAccess {
    int ptx_line = 0;
    MachineKind kind = MachineKind::load;     // load, store, atomic, copy or texture
    MemorySpace space = MemorySpace::global;  // where it went: never generic
    std::uint8_t lanes = 0;
    std::uint8_t ways = 1;  // of an atomic: lanes that come one after the other, for one word or bank
    std::uint16_t wavefronts =
        0;  // of shared memory, and of L1 for a load; of constant memory different addresses
    std::uint16_t sectors = 0;  // of global and local memory, and of textures
    std::uint16_t lines = 0;    // of 128 bytes that these lie in
    std::uint16_t bytes = 0;    // of global memory: different ones that the lanes ask for
    // Of these: sectors that the second level must bring or take, whatever L1 has. Where L1 decides, none.
    std::uint16_t past_l1 = 0;
    bool by_l1 = false;            // L1 has what it has, of `asked`
    std::uint8_t asked_lines = 0;  // of `WarpTrace::asked`, from the first one on
    int first_asked = 0;
};

// A basic block that a warp went through with these lanes.
struct TracedBlock {
    int block = 0;  // index into KernelTrace::ptx_lines
    std::uint32_t mask = 0;
    int first_access = 0;  // of the warp's; they end where those of the next one begin
};

struct WarpTrace {
    std::uint64_t thread_block = 0;  // its linear index
    int warp = 0;                    // in the block
    std::vector<TracedBlock> path;
    std::vector<TracedAccess> accesses;
    // Sectors of global memory and of textures. Of local memory a line is a word of all threads of the warp,
    // from the first one on.
    std::vector<LineSectors> asked;
    [[nodiscard]] std::span<const LineSectors> asked_by(const TracedAccess& access) const {
        return std::span(asked).subspan(std::size_t(access.first_asked), access.asked_lines);
    }
};

// Atomics of global memory in 256 bytes of it, which one slice of the second level has: lanes of a request
// that want the same word come one after the other, those that want other words of the sector together with
// them. Measured on an H200; a KiB that begins at a multiple of 1024 has two slices there, at an odd one of
// 512 four.
struct AtomicSlice {
    std::uint64_t place = 0;            // its address over 256
    double lanes = 0, float_lanes = 0;  // one after the other; of sums of floats
    int blocks = 0;                     // that have some here
    std::uint64_t last_block = 0;
};

struct KernelTrace {
    std::vector<std::vector<int>> ptx_lines;  // of the instructions of each basic block
    std::vector<WarpTrace> warps;             // block by block
    std::vector<AtomicSlice> atomics;         // in the order of their places
    std::vector<LineSectors> before;          // what loads of the blocks before asked L1 for, the last of it
    int local_words = 0;                      // of a thread's local memory, as far as it is used
};

}  // namespace ws
