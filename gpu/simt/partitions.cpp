#include "gpu/simt/partitions.h"

#include "gpu/simt/half_warps.h"

namespace ws::simt {
namespace {

constexpr std::uint64_t kPartitionBytes = 256;

}  // namespace

void add_request(std::span<PartitionCounts> partitions, GlobalRule rule,
                 std::span<const std::uint64_t> addresses, std::span<const std::uint8_t> lane_of, int bytes) {
    std::uint64_t last = 0;
    bool first = true;
    for_each_transaction(rule, addresses, lane_of, bytes, [&](const Transaction& transaction) {
        const std::uint64_t piece = transaction.address / kPartitionBytes;
        PartitionCounts& partition = partitions[piece % partitions.size()];
        ++partition.transactions;
        partition.bytes += transaction.bytes;
        // What lies next to the transaction before is under way in an open row, in its partition or the next.
        const bool near = piece <= last + 1 && last <= piece + 1;
        if (!first && !near) ++partition.rows_opened;
        first = false;
        last = piece;
    });
}

WindowCounts::WindowCounts(ComputeCapability capability, std::uint64_t window_blocks, std::uint64_t blocks)
    : partitions_(std::size_t(memory_partitions(capability))),
      window_blocks_(window_blocks),
      blocks_(blocks) {
    const std::uint64_t windows = window_blocks == 0 ? 1 : (blocks + window_blocks - 1) / window_blocks;
    counts_.resize(partitions_ * windows);
}

std::span<PartitionCounts> WindowCounts::of(std::uint64_t turn) {
    const std::uint64_t window = window_blocks_ == 0 ? 0 : turn / window_blocks_;
    return std::span(counts_).subspan(window * partitions_, partitions_);
}

WindowCounts& WindowCounts::operator+=(const WindowCounts& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    return *this;
}

void WindowCounts::report(KernelCounters& counters) const {
    counters.partitions.assign(partitions_, {});
    for (std::size_t i = 0; i < counts_.size(); ++i) counters.partitions[i % partitions_] += counts_[i];
    if (window_blocks_ == 0 || counts_.empty()) return;
    counters.partition_windows = {blocks_, counts_};
}

}  // namespace ws::simt
