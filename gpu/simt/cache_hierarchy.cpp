#include "gpu/simt/cache_hierarchy.h"

#include <algorithm>
#include <bit>

namespace ws::simt {
namespace {

constexpr int kL1Ways = 4;
constexpr int kL2Ways = 16;
constexpr std::uint64_t kLineBytes = 128;
constexpr std::uint64_t kSectorsPerLine = 4;

}  // namespace

CacheLevel::CacheLevel(std::uint64_t bytes, int ways)
    : ways_(ways),
      sets_(std::bit_floor(bytes / kLineBytes / std::uint64_t(ways))),
      lines_(sets_ * std::uint64_t(ways)) {}

bool CacheLevel::access(std::uint64_t sector, bool allocate) {
    if (sets_ == 0) return false;
    const std::uint64_t tag = sector / kSectorsPerLine;
    const std::uint32_t bit = 1u << (sector % kSectorsPerLine);
    Line* set = &lines_[(tag ^ tag / sets_) % sets_ * std::uint64_t(ways_)];
    Line* oldest = set;
    for (Line* line = set; line != set + ways_; ++line) {
        if (line->tag == tag) {
            const bool hit = (line->sectors & bit) != 0;
            line->used = ++clock_;
            if (allocate) line->sectors |= bit;
            return hit;
        }
        if (line->used < oldest->used) oldest = line;
    }
    if (allocate) *oldest = {tag, bit, ++clock_};
    return false;
}

CacheHierarchy::CacheHierarchy(const GpuProfile& gpu, std::uint64_t l1_bytes)
    : l1_(l1_bytes, kL1Ways),
      l2_(std::uint64_t(gpu.l2_kib) * 1024, kL2Ways),
      // Kepler and the first Maxwells do not cache global loads in L1.
      l1_caches_loads_(gpu.limits.capability.major != 3),
      caches_(caches_global_memory(gpu.limits.capability)) {}

void CacheHierarchy::load(std::uint64_t sector, bool past_l1) {
    if (!caches_) return;
    if (l1_caches_loads_) {
        ++counts_.l1_sectors;
        if (!past_l1 && l1_.access(sector, true)) {
            ++counts_.l1_hits;
            return;
        }
    }
    ++counts_.l2_sectors;
    counts_.l2_hits += l2_.access(sector, true);
}

void CacheHierarchy::store(std::uint64_t sector) {
    if (!caches_) return;
    ++counts_.l2_sectors;
    counts_.l2_hits += l2_.access(sector, true);
}

}  // namespace ws::simt
