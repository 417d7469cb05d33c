#pragma once
// What a trace says of requests whose lanes lie at the same distances, and begin at the same place of 256
// bytes, as those of one before: the same, elsewhere in memory.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/core/warp_trace.h"
#include "gpu/simt/observer.h"

namespace ws::simt {

struct KnownRequest {
    TracedAccess made;  // of the one before, with its places in that warp's trace
    std::vector<LineSectors>
        lines;  // that are asked for, from the 256 bytes on in which the first lane begins
    std::vector<StoredBytes> stored;
};

// Of one worker's accesses.
class KnownRequests {
  public:
    explicit KnownRequests(std::size_t memory_instructions)
        : full_(memory_instructions), partial_(PartialPatterns::kWays * memory_instructions) {}

    // Null where nothing is known of it. Valid until the next call.
    [[nodiscard]] const KnownRequest* find(const Warp& warp, const WarpAccess& access);
    // Of the access that was looked for last, which the warp's trace has.
    void add(const WarpAccess& access, const TracedAccess& made, const WarpTrace& trace);

    // The line that a known request's lines begin at.
    [[nodiscard]] static std::uint64_t first_line(const WarpAccess& access);

  private:
    // What is asked of L1, shared memory and the second level repeats at least this often.
    static constexpr std::uint64_t kAlignments = 256;
    struct OfPattern {
        std::uint32_t changes = ~0u;                   // of the pattern that this is of
        bool came_again = false;                       // distances that come once are not worth it
        std::array<std::int16_t, kAlignments> number;  // of `requests`; -1: not known
        std::vector<KnownRequest> requests;
    };
    [[nodiscard]] OfPattern& of(const Warp& warp, const WarpAccess& access);
    [[nodiscard]] static std::uint64_t first_address(const WarpAccess& access);

    std::vector<std::unique_ptr<OfPattern>> full_;     // of all lanes, by memory instruction
    std::vector<std::unique_ptr<OfPattern>> partial_;  // of some, as in PartialPatterns
    OfPattern* last_ = nullptr;                        // that was looked for; null: it has no pattern
};

}  // namespace ws::simt
