#include "gpu/analysis/partitions.h"

#include <algorithm>

namespace ws {
namespace {

// Calls `take` with each window's first partition.
template <typename Take>
void for_each_window(const KernelCounters& counters, const Take& take) {
    const auto partitions = std::ptrdiff_t(counters.partitions.size());
    const std::vector<PartitionCounts>& all = counters.partition_windows.counts;
    if (partitions == 0) return;
    for (auto window = all.begin(); all.end() - window >= partitions; window += partitions)
        take(window, window + partitions);
}

}  // namespace

double partition_time(const KernelCounters& counters, double bandwidth_gb_s) {
    if (counters.partition_windows.blocks == 0) return 0;
    const double bytes_per_ns = bandwidth_gb_s / double(counters.partitions.size());
    double ns = 0;
    for_each_window(counters, [&](auto first, auto end) {
        double longest = 0;
        for (auto partition = first; partition != end; ++partition) {
            longest = std::max(longest, double(partition->bytes) / bytes_per_ns +
                                            double(partition->rows_opened) * kRowOpening);
        }
        ns += longest;
    });
    return ns * double(counters.blocks_total) / double(counters.partition_windows.blocks) / 1e6;
}

double partition_imbalance(const KernelCounters& counters) {
    double busiest = 0;
    double all = 0;
    for_each_window(counters, [&](auto first, auto end) {
        std::uint64_t most = 0;
        for (auto partition = first; partition != end; ++partition) {
            most = std::max(most, partition->bytes);
            all += double(partition->bytes);
        }
        busiest += double(most);
    });
    return all > 0 ? busiest * double(counters.partitions.size()) / all : 0;
}

}  // namespace ws
