#include "gpu/core/l1_split.h"

#include <algorithm>

namespace ws {
namespace {

constexpr int kSmallerPart = 16 * 1024;
constexpr int kLargerPart = 48 * 1024;

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
    // A part of its own, and from 7.0 on what shared memory leaves.
    if (capability < 70) return 24 * 1024;
    const std::uint64_t at_least = (capability < 80 ? 32 : 28) * 1024;
    const auto shared = std::uint64_t(limits.shared_bytes_per_multiprocessor);
    if (cache == CachePreference::shared) return at_least;
    return at_least + shared - std::min(shared, resident_bytes);
}

}  // namespace ws
