#include "gpu/core/l1_split.h"

#include <algorithm>

namespace ws {
namespace {

constexpr int kSmallerPart = 16 * 1024;
constexpr int kLargerPart = 48 * 1024;

// What shared memory can have where it shares with L1, in KiB, by the CUDA C Programming Guide: up to the
// largest of each compute capability, 7.5 only from 32 on.
constexpr std::uint64_t kSharedParts[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};

std::uint64_t shared_part(int capability, std::uint64_t most, std::uint64_t wanted) {
    for (const std::uint64_t kib : kSharedParts)
        if (kib * 1024 >= wanted && (capability != 75 || kib >= 32)) return std::min(most, kib * 1024);
    return most;
}

bool l1_is_larger(ComputeCapability capability, CachePreference cache, int shared_bytes) {
    return capability.number() >= 20 && capability.number() < 37 && cache == CachePreference::l1 &&
           shared_bytes <= kSmallerPart;
}

}  // namespace

int shared_bytes_of_split(const GpuLimits& limits, CachePreference cache, int shared_bytes) {
    return l1_is_larger(limits.capability, cache, shared_bytes) ? kSmallerPart
                                                                : limits.shared_bytes_per_multiprocessor;
}

std::uint64_t l1_bytes(const GpuLimits& limits, CachePreference cache, int shared_bytes,
                       std::uint64_t resident_bytes) {
    if (!caches_global_memory(limits.capability)) return 0;
    const int capability = limits.capability.number();
    if (capability < 40)
        return l1_is_larger(limits.capability, cache, shared_bytes) ? kLargerPart : kSmallerPart;
    if (!l1_shares_memory(limits.capability)) return 24 * 1024;
    const std::uint64_t at_least = (capability < 80 ? 32 : 28) * 1024;
    const auto shared = std::uint64_t(limits.shared_bytes_per_multiprocessor);
    if (cache == CachePreference::shared) return at_least;
    return at_least + shared - shared_part(capability, shared, resident_bytes);
}

}  // namespace ws
