#pragma once
// The observer that keeps the addresses of each memory instruction's first access in one block, or of each of
// its warps, to be drawn.

#include <vector>

#include "gpu/simt/observer.h"
#include "gpu/simt/traffic.h"

namespace ws::simt {

class Examples : public Silent {
  public:
    class Shared {
      public:
        Shared(const LaunchContext& context, LaunchMemory& /*memory*/, FindingLog& /*findings*/)
            : block_(context.options.example_block),
              rules_(access_rules(context.gpu.limits.capability, context.launch.banks)),
              sites_(context.launch.program->code.size()),
              warps_(context.options.example_warps ? warps_of(context.launch.block) : 1) {}
        void add(const Examples& worker) {
            kept_.insert(kept_.end(), worker.kept_.begin(), worker.kept_.end());
        }
        void report(LaunchOutcome& outcome) { outcome.counters.accesses = kept_; }

      private:
        friend class Examples;
        [[nodiscard]] static std::size_t warps_of(const Shape& block) {
            const std::size_t threads = std::size_t(block[0]) * std::size_t(block[1]) * std::size_t(block[2]);
            return (threads + kLanes - 1) / kLanes;
        }

        std::uint64_t block_;
        AccessRules rules_;
        std::size_t sites_;
        std::size_t warps_;  // that are told apart
        std::vector<AccessExample> kept_;
    };

    explicit Examples(const Shared& shared) : shared_(shared) {}

    void begin_block(const Worker& worker) {
        watching_ = worker.place.linear_block == shared_.block_;
        if (watching_) seen_.assign(shared_.sites_ * shared_.warps_, false);
    }
    void access(const Warp& warp, const WarpAccess& access) {
        if (watching_ && !seen_[place_of(warp, access)]) keep(warp, access);
    }

  private:
    [[nodiscard]] std::size_t place_of(const Warp& warp, const WarpAccess& access) const {
        const std::size_t of_warp = shared_.warps_ > 1 ? std::size_t(warp.index) : 0;
        return of_warp * shared_.sites_ + std::size_t(access.instruction.site);
    }
    void keep(const Warp& warp, const WarpAccess& access);

    const Shared& shared_;
    bool watching_ = false;
    std::vector<bool> seen_;  // by warp and site: one is kept already
    std::vector<AccessExample> kept_;
};

}  // namespace ws::simt
