#pragma once
// The observer that counts what a GPU before 2.0 asks of each of its memory partitions: of later ones
// nothing.

#include <span>

#include "gpu/simt/access_rules.h"
#include "gpu/simt/observer.h"
#include "gpu/simt/partitions.h"

namespace ws::simt {

class PartitionProbe : public Silent {
  public:
    class Shared {
      public:
        Shared(const LaunchContext& context, LaunchMemory& /*memory*/, FindingLog& /*findings*/)
            : rule_(access_rules(context.gpu.limits.capability, context.launch.banks).loads),
              counts_(context.gpu.limits.capability, context.options.window_blocks, blocks_to_run(context)) {}
        void add(const PartitionProbe& worker) { counts_ += worker.counts_; }
        void report(LaunchOutcome& outcome) const { counts_.report(outcome.counters); }

      private:
        friend class PartitionProbe;
        GlobalRule rule_;
        WindowCounts counts_;
    };

    explicit PartitionProbe(const Shared& shared) : rule_(shared.rule_), counts_(shared.counts_) {}

    [[nodiscard]] bool wants_each() const { return !counts_.empty(); }
    void begin_block(const Worker& worker) {
        if (!counts_.empty()) window_ = counts_.of(worker.place.turn);
    }
    void access(const Warp& /*warp*/, const WarpAccess& access) {
        if (!window_.empty()) probe(access);
    }

  private:
    void probe(const WarpAccess& access);

    GlobalRule rule_;
    WindowCounts counts_;
    std::span<PartitionCounts> window_;  // of the current block; empty: nothing to count
};

}  // namespace ws::simt
