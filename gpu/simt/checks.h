#pragma once
// What a checker of memory and races looks for while a block executes.
//
// Threads race if two of them touch a byte, one of them writes, neither access is atomic, and no barrier of
// the block (or, within a warp, no synchronising warp instruction) lies between them.

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
    [[nodiscard]] std::vector<Finding> take();

  private:
    struct Entry {
        std::uint64_t order = ~0ull;
        Finding finding;
    };
    std::mutex mutex_;
    std::map<std::pair<Finding::Kind, int>, Entry> entries_;
};

// What the threads of one block did to shared memory and to writable buffers since the last barrier.
class BlockShadow {
  public:
    enum class Verdict : std::uint8_t { fine, uninitialised, race };

    void begin_block(std::uint64_t shared_bytes);
    void barrier() { ++epoch_; }

    // One thread's access; `warp_epoch` counts the synchronising instructions of its warp. `other` gets the
    // thread that it races with.
    [[nodiscard]] Verdict shared(std::uint64_t offset, int bytes, int thread, std::uint32_t warp_epoch,
                                 bool reads, bool writes, bool atomic, int& other);
    [[nodiscard]] Verdict global(std::uint64_t address, int bytes, int thread, std::uint32_t warp_epoch,
                                 bool reads, bool writes, bool atomic, int& other);

  private:
    // The last write and read of a byte. A later reader of the same epoch replaces an earlier one unless it
    // is the writer.
    struct Cell {
        std::uint32_t block = 0;  // in which it was written
        std::uint32_t write_epoch = 0, read_epoch = 0;
        std::uint32_t write_warp_epoch = 0, read_warp_epoch = 0;
        std::uint16_t writer = 0, reader = 0, reader_before = 0;
        bool atomic = false;
    };
    [[nodiscard]] Verdict visit(Cell& cell, int thread, std::uint32_t warp_epoch, bool reads, bool writes,
                                bool atomic, int& other) const;

    std::vector<Cell> shared_;
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t> key_blocks_;
    std::vector<Cell> global_;
    std::size_t used_ = 0;
    std::uint32_t block_ = 0;
    std::uint32_t epoch_ = 0;
};

}  // namespace ws::simt
