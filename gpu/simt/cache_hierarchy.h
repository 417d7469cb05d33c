#pragma once
// A model of the caches: set-associative, least recently used, lines of 128 bytes filled by 32-byte sectors.

#include <cstdint>
#include <vector>

#include "gpu/core/counters.h"
#include "gpu/core/gpu_profile.h"

namespace ws::simt {

class CacheLevel {
  public:
    // Sets are a power of two; a cache of 0 bytes never hits.
    CacheLevel(std::uint64_t bytes, int ways);
    // Whether the sector was there; it is afterwards, if `allocate`.
    bool access(std::uint64_t sector, bool allocate);

  private:
    struct Line {
        std::uint64_t tag = ~0ull;
        std::uint32_t sectors = 0;
        std::uint64_t used = 0;
    };
    int ways_;
    std::uint64_t sets_;
    std::uint64_t clock_ = 0;
    std::vector<Line> lines_;
};

// The first-level caches of one multiprocessor before the GPU's second level. Loads go through both, stores
// write through to the second. Textures have a cache of their own before 5.0, as large as the CUDA C
// Programming Guide's technical specifications say (8 KB on 1.x, 12 KB on 2.x, 48 KB on 3.x), then they are
// in L1; on 3.5 and 3.7 read-only loads go through it, too. A GPU before 2.0 has no other cache: only
// textures are counted.
class CacheHierarchy {
  public:
    CacheHierarchy(const GpuProfile& gpu, std::uint64_t l1_bytes);
    // Both return whether the first level had the sector.
    bool load(std::uint64_t sector, bool past_l1 = false, bool read_only = false);
    bool load_texture(std::uint64_t sector);
    void store(std::uint64_t sector);
    // What is in the caches stays.
    void forget_counts() { counts_ = {}; }
    [[nodiscard]] const CacheModel& counts() const { return counts_; }

  private:
    void load_from_l2(std::uint64_t sector);

    CacheLevel l1_;
    CacheLevel texture_;
    CacheLevel l2_;
    bool textures_in_l1_;
    bool l1_caches_loads_;
    bool read_only_as_texture_;
    bool caches_;  // global memory at all
    CacheModel counts_;
};

}  // namespace ws::simt
