#pragma once
// Loads or stores that need a look at each lane: generic and local addresses, observers that follow lanes,
// faults.

#include <cstdint>

#include "gpu/simt/warp.h"

namespace ws::simt {

// A lane that may not access reads 0 and stores nothing; the finding is recorded. `register_bytes` is 4 or 8.
template <class Observer>
void load_lane_by_lane(Warp& warp, const Instruction& instruction, const std::uint64_t* addresses,
                       int register_bytes, bool is_signed);
template <class Observer>
void store_lane_by_lane(Warp& warp, const Instruction& instruction, const std::uint64_t* addresses,
                        int register_bytes);

}  // namespace ws::simt
