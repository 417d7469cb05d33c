#pragma once
// What the checks found, collected from all workers.

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/core/counters.h"

namespace ws::simt {

// Collects findings of all workers: one for each kind and line, with how often and where first (in the order
// of blocks).
class FindingLog {
  public:
    // `order` ranks places: the lowest one's message is kept.
    void add(Finding::Kind kind, int line, std::uint64_t order, const std::string& message);
    // Whether a message for this place would be kept; spares making it. Counts the finding if not.
    [[nodiscard]] bool wants(Finding::Kind kind, int line, std::uint64_t order);
    // By kind and line, in the order of places.
    [[nodiscard]] std::vector<Finding> take();
    [[nodiscard]] std::size_t size();

  private:
    struct Entry {
        std::uint64_t order = ~0ull;
        Finding finding;
    };
    std::mutex mutex_;
    std::map<std::pair<Finding::Kind, int>, Entry> entries_;
};

}  // namespace ws::simt
