#pragma once
// What of a multiprocessor's share of the second level has been stored and is to be written to device memory.
// A sector that leaves before all its bytes have been stored has to be read first: it costs both.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/analysis/number_table.h"
#include "gpu/core/warp_trace.h"

namespace ws {

// Sectors that a launch's traced stores leave in part, whatever the order in which they come: by line, where
// it has some.
using NeverWhole = NumberTable<std::uint32_t>;
[[nodiscard]] NeverWhole never_whole(const KernelTrace& trace);

class WrittenSectors {
  public:
    // Of a cache with so many places. `never_whole` outlives it; null: there are none.
    WrittenSectors(std::size_t places, const NeverWhole* never_whole)
        : lines_(places), never_whole_(never_whole) {}

    struct Stored {
        std::uint32_t fresh = 0;  // of the sectors, those that had not to be written until now
        int lacking = 0;          // of these, that nobody will complete
    };
    // `there`: sectors of it that the cache had; of one that was not stored until now all bytes are there.
    // `bytes`: null where all sectors are whole. `apart`: they go to device memory one by one.
    Stored store(std::size_t place, LineSectors line, std::uint32_t there, const StoredBytes* bytes,
                 bool apart);

    struct Left {
        int lacking = 0;  // sectors that somebody might have completed
        bool apart = false;
    };
    // Another line is in that place from now on.
    Left leave(std::size_t place);

  private:
    struct Line {
        StoredBytes bytes{};
        std::uint32_t sectors = 0;  // that are to be written
        std::uint32_t read = 0;     // of these, that are read first anyway
        bool apart = false;
    };
    [[nodiscard]] std::uint32_t never_whole_of(LineSectors line) const {
        const std::uint32_t* sectors = never_whole_ ? never_whole_->find(line.line()) : nullptr;
        return sectors ? *sectors : 0;
    }

    std::vector<Line> lines_;
    const NeverWhole* never_whole_;
};

}  // namespace ws
