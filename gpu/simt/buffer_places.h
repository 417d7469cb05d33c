#pragma once
// Where buffers begin, one allocated after the other, as an H200's driver places them (CUDA 13.0;
// docs/clock.md): what is smaller than 2 MiB shares chunks of 2 MiB, at multiples of 512 bytes, in the chunk
// with the least room that is enough; the others begin at multiples of 2 MiB. The low bits decide which
// slices of the second level have the words.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ws::simt {

class BufferPlaces {
  public:
    static constexpr std::uint64_t kChunk = 2 << 20;
    static constexpr std::uint64_t kAlign = 512;

    // Of the next buffer: bytes behind a multiple of 2 MiB. What is free again is not used again.
    std::uint64_t next(std::uint64_t bytes) {
        const std::uint64_t taken = std::max<std::uint64_t>(1, (bytes + kAlign - 1) / kAlign) * kAlign;
        if (taken >= kChunk) return 0;
        std::uint64_t* fullest = nullptr;
        for (std::uint64_t& used : used_) {
            if (used + taken <= kChunk && (!fullest || used > *fullest)) fullest = &used;
        }
        if (!fullest) fullest = &used_.emplace_back(0);
        const std::uint64_t place = *fullest;
        *fullest += taken;
        return place;
    }

  private:
    std::vector<std::uint64_t> used_;  // of each chunk, from its begin on
};

}  // namespace ws::simt
