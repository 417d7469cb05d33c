#pragma once
// A simulation that may take long: progress on a terminal, and Ctrl-C that ends it with what is counted so
// far.

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "gpu/core/job.h"

namespace ws {

// While one lives, Ctrl-C sets `cancelled` (a second one ends the program), and after a second a terminal at
// standard error shows how many of `blocks`, or of what they are called, are done and about how long the
// others take; of 0 blocks nothing.
class LongRun {
  public:
    explicit LongRun(std::uint64_t blocks, std::string what = "blocks");
    ~LongRun();
    LongRun(const LongRun&) = delete;
    LongRun& operator=(const LongRun&) = delete;

    [[nodiscard]] std::atomic<std::uint64_t>& blocks_done() { return done_; }
    // There are so many, which was not known before.
    void expect(std::uint64_t blocks) { blocks_ = blocks; }
    [[nodiscard]] const std::atomic<bool>& cancelled() const;

  private:
    void show_progress(const std::stop_token& stop) const;

    std::atomic<std::uint64_t> blocks_;
    std::string what_;
    std::atomic<std::uint64_t> done_{0};
    void (*previous_)(int);
    Job<Done> progress_;
};

// "12 of 400 blocks, 3 %, about 2 min left". No time before a block is done.
[[nodiscard]] std::string progress_text(std::uint64_t done, std::uint64_t blocks, double seconds,
                                        std::string_view what = "blocks");

}  // namespace ws
