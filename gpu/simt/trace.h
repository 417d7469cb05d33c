#pragma once
// The observer that writes down what the warps of one block execute, in their order.

#include <cstdint>
#include <vector>

#include "gpu/simt/observer.h"

namespace ws::simt {

struct TraceStep {
    int warp = 0;
    int site = 0;  // index among the program's instructions
    int line = 0;
    int weight = 1;          // 0: a helper that is not counted
    std::uint32_t mask = 0;  // lanes that execute it, or pass the guard
};

class Trace : public Silent {
  public:
    class Shared {
      public:
        Shared(const LaunchContext& context, LaunchMemory& /*memory*/, FindingLog& /*findings*/)
            : block_(context.options.trace.block), steps_(context.options.trace.steps) {}
        void add(const Trace& worker) {
            steps_->insert(steps_->end(), worker.steps_.begin(), worker.steps_.end());
        }
        void report(LaunchOutcome& /*outcome*/) {}

      private:
        friend class Trace;
        std::uint64_t block_;
        std::vector<TraceStep>* steps_;
    };

    explicit Trace(const Shared& shared) : block_(shared.block_) {}

    void begin_block(const Worker& worker) { watching_ = worker.place.linear_block == block_; }
    void instruction(const Warp& warp, const Instruction& instruction) {
        if (watching_)
            steps_.push_back({warp.index, instruction.site, instruction.line, instruction.weight, warp.mask});
    }

  private:
    std::uint64_t block_;
    bool watching_ = false;
    std::vector<TraceStep> steps_;
};

}  // namespace ws::simt
