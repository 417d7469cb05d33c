#pragma once
// Adds up what the workers counted, by source line and in total.

#include <vector>

#include "gpu/simt/block_runner.h"

namespace ws::simt {

class Tally {
  public:
    explicit Tally(const Program& program);
    void add(const std::vector<std::vector<BlockCounts>>& blocks, const std::vector<SiteCounts>& sites);
    [[nodiscard]] KernelCounters counters() const;

  private:
    const Program& program_;
    std::vector<std::vector<BlockCounts>> blocks_;
    std::vector<SiteCounts> sites_;
};

}  // namespace ws::simt
