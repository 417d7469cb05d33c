#pragma once
// A model of the caches, level by level.

#include <cstdint>

#include "gpu/core/cache_level.h"
#include "gpu/core/counters.h"
#include "gpu/core/gpu_profile.h"

namespace ws::simt {

// The first-level caches of one multiprocessor before the GPU's second level. Loads go through both, stores
// write through to the second; from 7.0 on the first one keeps what they store (an H200 does). Textures have
// a cache of their own before 5.0, as large as the CUDA C Programming Guide's technical specifications say (8
// KB on 1.x, 12 KB on 2.x, 48 KB on 3.x), then they are in L1; on 3.5 and 3.7 read-only loads go through it,
// too. A GPU before 2.0 has no other cache: only textures are counted.
class CacheHierarchy {
  public:
    CacheHierarchy(const GpuProfile& gpu, std::uint64_t l1_bytes);
    // A line of a request, once. Both return how many of its sectors the first level lacked.
    int load(LineSectors line, bool past_l1 = false, bool read_only = false);
    int load_texture(LineSectors line);
    void store(LineSectors line);
    // What is in the caches stays.
    void forget_counts() { counts_ = {}; }
    [[nodiscard]] const CacheModel& counts() const { return counts_; }

  private:
    void ask_l2(LineSectors line);

    CacheLevel l1_;
    CacheLevel texture_;
    CacheLevel l2_;
    bool textures_in_l1_;
    bool l1_caches_loads_;
    bool l1_keeps_stores_;
    bool read_only_as_texture_;
    bool caches_;  // global memory at all
    CacheModel counts_;
};

}  // namespace ws::simt
