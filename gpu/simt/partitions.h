#pragma once
// Memory partitions of GPUs before 2.0: 256 bytes each in turn, 6 on a G80, 8 on a G200. Later GPUs hash
// addresses.

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/core/counters.h"
#include "gpu/core/gpu_profile.h"
#include "gpu/simt/access_rules.h"

namespace ws::simt {

// How many a GPU has; 0: its addresses are hashed.
[[nodiscard]] inline int memory_partitions(ComputeCapability capability) {
    return capability.number() >= 20 ? 0 : capability.number() < 12 ? 6 : 8;
}

// Adds what one request of a warp asks of each partition. Addresses and lanes are those of the active lanes,
// as for global_traffic.
void add_request(std::span<PartitionCounts> partitions, GlobalRule rule,
                 std::span<const std::uint64_t> addresses, std::span<const std::uint8_t> lane_of, int bytes);

// One worker's counts of a launch's windows.
class WindowCounts {
  public:
    // `window_blocks` of the `blocks` that run are a window; 0: all are.
    WindowCounts(ComputeCapability capability, std::uint64_t window_blocks, std::uint64_t blocks);

    [[nodiscard]] bool empty() const { return counts_.empty(); }  // addresses are hashed: nothing to count
    // Where the block that runs as number `turn` counts.
    [[nodiscard]] std::span<PartitionCounts> of(std::uint64_t turn);
    // Adds those of another worker.
    WindowCounts& operator+=(const WindowCounts& other);
    // Sums, and the windows if they are asked for.
    void report(KernelCounters& counters) const;

  private:
    std::size_t partitions_;
    std::uint64_t window_blocks_;
    std::uint64_t blocks_;
    std::vector<PartitionCounts> counts_;  // a window after the other
};

}  // namespace ws::simt
