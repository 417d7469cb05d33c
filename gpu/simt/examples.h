#pragma once
// The observer that keeps the addresses of each memory instruction's first access in one block, to be drawn.

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
              sites_(context.launch.program->code.size()) {}
        void add(const Examples& worker) {
            kept_.insert(kept_.end(), worker.kept_.begin(), worker.kept_.end());
        }
        void report(LaunchOutcome& outcome) { outcome.counters.accesses = kept_; }

      private:
        friend class Examples;
        std::uint64_t block_;
        AccessRules rules_;
        std::size_t sites_;
        std::vector<AccessExample> kept_;
    };

    explicit Examples(const Shared& shared) : shared_(shared) {}

    void begin_block(const Worker& worker) {
        watching_ = worker.linear_block == shared_.block_;
        if (watching_) seen_.assign(shared_.sites_, false);
    }
    void access(const Warp& warp, const WarpAccess& access) {
        if (watching_ && !seen_[std::size_t(access.instruction.site)]) keep(warp, access);
    }

  private:
    void keep(const Warp& warp, const WarpAccess& access);

    const Shared& shared_;
    bool watching_ = false;
    std::vector<bool> seen_;  // by site: one is kept already
    std::vector<AccessExample> kept_;
};

}  // namespace ws::simt
