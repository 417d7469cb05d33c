#pragma once
// The observer that sends every access to global memory through a model of the caches. One worker runs the
// blocks then, so that they come in their order.

#include <optional>

#include "gpu/simt/cache_hierarchy.h"
#include "gpu/simt/launch.h"
#include "gpu/simt/observer.h"

namespace ws::simt {

class CacheProbe : public Silent {
  public:
    class Shared {
      public:
        Shared(const LaunchContext& context, LaunchMemory& /*memory*/, FindingLog& /*findings*/)
            : warm_up_(context.options.cache_warm_up) {
            if (context.options.model_caches)
                caches_.emplace(context.gpu, l1_bytes_of(context.launch, context.gpu));
        }
        void add(const CacheProbe& /*worker*/) {}
        void report(LaunchOutcome& outcome) const {
            if (caches_) outcome.counters.caches = caches_->counts();
        }

      private:
        friend class CacheProbe;
        std::uint64_t warm_up_;  // blocks that are not counted
        std::optional<CacheHierarchy> caches_;
    };

    explicit CacheProbe(Shared& shared)
        : caches_(shared.caches_ ? &*shared.caches_ : nullptr), warm_up_(shared.warm_up_) {}

    void begin_block(const Worker& worker) {
        if (caches_ && worker.place.turn == warm_up_) caches_->forget_counts();
    }
    void access(const Warp& /*warp*/, const WarpAccess& access) {
        if (caches_) probe(access);
    }
    void fetch_texture(const Warp& /*warp*/, const TextureRequest& request) {
        if (caches_) probe(request);
    }

  private:
    void probe(const TextureRequest& request);
    void probe(const WarpAccess& access);

    CacheHierarchy* caches_;
    std::uint64_t warm_up_;
};

}  // namespace ws::simt
