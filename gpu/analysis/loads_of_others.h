#pragma once
// What other multiprocessors have asked device memory for, as the clock of one knows it: by when its own
// blocks came to their loads, for those of the others begin with them.

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "gpu/analysis/shared_loads.h"

namespace ws {

class LoadsOfOthers {
  public:
    // It outlives this.
    explicit LoadsOfOthers(std::span<const SharedLoads> shared) : shared_(shared) {}
    [[nodiscard]] bool any() const { return !shared_.empty(); }

    // The block's loads have lacked something since now, if not before.
    void note_asked(int block, double now) {
        if (std::size_t(block) >= asked_.size()) asked_.resize(std::size_t(block) + 1, now);
    }
    // Since when another one has asked for what a block lacks that has been noted: for which part of it, by a
    // chance from 0 to all that others bring. None: it has been there for long.
    [[nodiscard]] std::optional<double> asked_since(int block, double chance) const {
        for (const SharedLoads& shared : shared_) {
            chance -= shared.part;
            if (chance > 0) continue;
            const double at = block - shared.blocks_before;
            if (at < 0) return {};
            const double earlier = asked_[std::size_t(at)];
            const double later = asked_[std::size_t(std::ceil(at))];
            return earlier + (at - std::floor(at)) * (later - earlier);
        }
        return {};
    }

  private:
    std::span<const SharedLoads> shared_;
    std::vector<double> asked_;  // by block
};

}  // namespace ws
