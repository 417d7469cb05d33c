#pragma once
// Adds up what the workers counted, by source line and in total.

#include <cstdint>
#include <vector>

#include "gpu/simt/program.h"

namespace ws::simt {

// The counts of a basic block.
struct BlockCounts {
    std::uint64_t executions = 0;
    std::uint64_t lanes = 0;
    std::uint64_t divergent = 0;
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

class Tally {
  public:
    explicit Tally(const Program& program);
    void add(const std::vector<std::vector<BlockCounts>>& blocks, const std::vector<SiteCounts>& sites);
    // Fills in the total, the lines and the basic blocks.
    void report(KernelCounters& counters) const;

  private:
    const Program& program_;
    std::vector<std::vector<BlockCounts>> blocks_;
    std::vector<SiteCounts> sites_;
};

}  // namespace ws::simt
