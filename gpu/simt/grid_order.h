#pragma once
// Which writes of other blocks a block may rely on: those that came before a fence and a flag or counter that
// it has read since (the "last block" reduction).

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ws::simt {

// Who wrote a byte last, where the kernel has fences; time and epoch are those of thread_order.h.
struct WriteRecord {
    std::uint32_t block = 0;
    std::uint32_t epoch = 0;
    std::uint32_t time = 0;
    std::uint16_t thread = 0;
};

// Shared by all workers.
class GridOrder {
  public:
    // Places that a block has read as flags, by address.
    using Flags = std::vector<std::uint64_t>;

    // A thread of `block` sets the flag and hands on: everything before the epoch, in it what `known` tells
    // by thread, and the flags that its block has read.
    void set_flag(std::uint64_t flag, std::uint32_t block, std::uint32_t epoch,
                  const std::vector<std::uint32_t>& known, const Flags& read);
    [[nodiscard]] bool is_flag(std::uint64_t place) const;
    // Whether a block that has read these flags comes after the write.
    [[nodiscard]] bool covers(const Flags& read, const WriteRecord& write) const;

  private:
    struct Release {
        std::uint32_t block = 0;
        std::uint32_t epoch = 0;
        std::vector<std::pair<std::uint16_t, std::uint32_t>> known;
        Flags read;
    };
    [[nodiscard]] static bool hands_on(const Release& release, const WriteRecord& write);

    mutable std::mutex mutex_;
    std::unordered_map<std::uint64_t, std::vector<Release>> flags_;
};

}  // namespace ws::simt
