#pragma once
// Accesses of a warp that are not plain, and what is counted of every access.

#include <cstdint>

#include "gpu/simt/warp.h"

namespace ws::simt {

// Counts one request of the active lanes.
void count_access(Worker& worker, const Instruction& instruction, const std::uint64_t* addresses,
                  std::uint32_t mask);

// Part of counting an access to global memory of a GPU of capability 1.x: the partitions that hold its
// transactions, which a repeated pattern does not show.
void count_partitions(Worker& worker, const Instruction& instruction, const std::uint64_t* addresses,
                      std::uint32_t mask);

// Loads or stores that need a look at each lane: generic, local and constant addresses, checks, faults. A
// lane that may not access reads 0 and stores nothing; the finding is recorded. `register_bytes` is 4 or 8.
void load_lane_by_lane(Warp& warp, const Instruction& instruction, const std::uint64_t* addresses,
                       int register_bytes, bool is_signed);
void store_lane_by_lane(Warp& warp, const Instruction& instruction, const std::uint64_t* addresses,
                        int register_bytes);

// Notes the sectors that an access to [low, end) touches. `in_a_row`: all of them.
void touch(const Region& region, std::uint64_t low, std::uint64_t end, const std::uint64_t* addresses,
           std::uint32_t mask, int bytes, bool in_a_row);

}  // namespace ws::simt
