#pragma once
// The observer that notes which sectors of the buffers are touched at all: the least traffic possible.

#include <vector>

#include "gpu/simt/observer.h"

namespace ws::simt {

class TouchedSectors : public Silent {
  public:
    class Shared {
      public:
        Shared(const LaunchContext& context, LaunchMemory& memory, FindingLog& /*findings*/);
        void add(const TouchedSectors& worker);
        void report(LaunchOutcome& outcome) const;

      private:
        friend class TouchedSectors;
        const std::vector<Region>* regions_ = nullptr;  // null: nothing is noted
        std::vector<std::vector<bool>> touched_;        // by region, then by sector
        std::vector<bool> texels_;                      // sectors of all textures
    };

    explicit TouchedSectors(const Shared& shared)
        : regions_(shared.regions_), touched_(shared.touched_), texels_(shared.texels_) {}

    void access(const Warp& /*warp*/, const WarpAccess& access) {
        if (regions_) note(access);
    }
    void fetch_texture(const Warp& /*warp*/, const TextureRequest& request) {
        if (regions_) note(request);
    }

  private:
    void note(const TextureRequest& request);
    void note(const WarpAccess& access);
    void note(std::uint64_t low, std::uint64_t end);  // all of [low, end), as far as a buffer holds it

    const std::vector<Region>* regions_;
    std::size_t last_ = 0;
    std::vector<std::vector<bool>> touched_;
    std::vector<bool> texels_;
};

}  // namespace ws::simt
