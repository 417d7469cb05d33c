#include "gpu/simt/cache_hierarchy.h"

#include "gpu/core/first_level.h"
#include "gpu/core/l1_split.h"

namespace ws::simt {
namespace {

constexpr int kL1Ways = 4;
constexpr int kL2Ways = 16;
constexpr int kTextureWays = 6;  // as 12 and 48 KB are three times a power of two
constexpr int kSmallTextureWays = 4;
constexpr std::uint64_t kKib = 1024;

bool textures_in_l1(ComputeCapability capability) {
    return capability.major >= 5;
}

CacheLevel texture_cache(ComputeCapability capability) {
    if (textures_in_l1(capability)) return CacheLevel(0, kTextureWays);
    if (capability.major == 1) return CacheLevel(8 * kKib, kSmallTextureWays);
    return CacheLevel((capability.major == 2 ? 12 : 48) * kKib, kTextureWays);
}

CacheLevel first_level_of(ComputeCapability capability, std::uint64_t l1_bytes) {
    return l1_shares_memory(capability) ? CacheLevel(first_level_shape(l1_bytes))
                                        : CacheLevel(l1_bytes, kL1Ways);
}

}  // namespace

CacheHierarchy::CacheHierarchy(const GpuProfile& gpu, std::uint64_t l1_bytes)
    : l1_(first_level_of(gpu.limits.capability, l1_bytes)),
      texture_(texture_cache(gpu.limits.capability)),
      l2_(std::uint64_t(gpu.l2_kib) * kKib, kL2Ways),
      textures_in_l1_(textures_in_l1(gpu.limits.capability)),
      // Kepler and the first Maxwells do not cache global loads in L1.
      l1_caches_loads_(gpu.limits.capability.major != 3),
      l1_keeps_stores_(l1_shares_memory(gpu.limits.capability)),
      read_only_as_texture_(gpu.limits.capability.major == 3 && gpu.limits.capability.minor >= 5),
      caches_(caches_global_memory(gpu.limits.capability)) {}

int CacheHierarchy::load(LineSectors line, bool past_l1, bool read_only) {
    if (!caches_) return line.count();
    if (read_only && read_only_as_texture_) return load_texture(line);
    LineSectors missing = line;
    if (l1_caches_loads_) {
        if (!past_l1) missing = {line.line(), l1_.take(line).missing};
        counts_.l1_sectors += std::uint64_t(line.count());
        counts_.l1_hits += std::uint64_t(line.count() - missing.count());
    }
    ask_l2(missing);
    return missing.count();
}

int CacheHierarchy::load_texture(LineSectors line) {
    const LineSectors missing(line.line(), (textures_in_l1_ ? l1_ : texture_).take(line).missing);
    counts_.texture_sectors += std::uint64_t(line.count());
    counts_.texture_hits += std::uint64_t(line.count() - missing.count());
    if (caches_) ask_l2(missing);
    return missing.count();
}

void CacheHierarchy::store(LineSectors line) {
    if (!caches_) return;
    if (l1_keeps_stores_) (void)l1_.take(line);
    ask_l2(line);
}

void CacheHierarchy::ask_l2(LineSectors line) {
    if (line.count() == 0) return;
    const LineSectors missing(line.line(), l2_.take(line).missing);
    counts_.l2_sectors += std::uint64_t(line.count());
    counts_.l2_hits += std::uint64_t(line.count() - missing.count());
}

}  // namespace ws::simt
