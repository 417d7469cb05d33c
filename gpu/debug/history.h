#pragma once
// The execution of one block, step by step, forwards and backwards. A step is an instruction of a warp; which
// warp takes it is chosen at the end of what has happened, and recorded. Going back restores a snapshot,
// takes back what was written to memory since, and executes the recorded steps again up to where one wants to
// be.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "gpu/simt/stepped_block.h"

namespace ws::debug {

// A block with all that it runs on.
struct StartedBlock {
    std::shared_ptr<void> keeps;                // the GPU, buffers
    std::unique_ptr<simt::SteppedBlock> block;  // which goes first
    std::span<const std::byte> result{};        // the buffer that the launch fills; empty: it is not one
};

class History {
  public:
    using Start = std::function<StartedBlock()>;
    explicit History(Start start);

    [[nodiscard]] simt::SteppedBlock& block() { return *started_.block; }
    [[nodiscard]] const simt::SteppedBlock& block() const { return *started_.block; }
    [[nodiscard]] std::span<const std::byte> result() const { return started_.result; }
    [[nodiscard]] std::uint64_t now() const { return now_; }
    [[nodiscard]] std::uint64_t recorded() const { return schedule_.size(); }
    // Who takes a recorded step.
    [[nodiscard]] int warp_of(std::uint64_t step) const { return schedule_[step]; }
    // Whether warps that waited at a barrier went on by it.
    [[nodiscard]] bool passed_barrier(std::uint64_t step) const { return passed_[step]; }
    // Whether the next step is one that was taken before.
    [[nodiscard]] bool repeats() const { return now_ < schedule_.size(); }

    // The next step, by this warp; a recorded one by the warp that is recorded.
    void step(int warp);
    // To a step that is recorded, or to the end of what is.
    void go_to(std::uint64_t step);
    // What was recorded behind now is no more: other warps are to go first. Executes the block anew up to
    // now, so that the checks know what has happened.
    void forget_future();

    // Looks at recorded steps [0, end) backwards, a part of them at a time, each part in the order in which
    // it was taken: `visit.before(step, seen)` in front of a step and `visit.after(step, seen)` behind it put
    // what they see into `seen`; then `visit.found(one)` is asked of it, the latest first, until it is true.
    // Afterwards the history is where it was.
    template <typename Seen, typename Visit>
    bool search_back(std::uint64_t end, Visit& visit);

    [[nodiscard]] std::size_t snapshot_count() const { return snapshots_.size(); }

  private:
    struct Undo {
        std::uint64_t step = 0;
        std::byte* place = nullptr;
        std::uint32_t bytes = 0;
        std::array<std::byte, simt::LaneWrite::kMostBytes> before{};
    };
    void begin();
    void keep_snapshot();
    void thin_snapshots();
    void restore_before(std::uint64_t step);

    Start start_;
    StartedBlock started_;
    std::vector<std::uint16_t> schedule_;
    std::vector<bool> passed_;  // by step
    std::uint64_t now_ = 0;
    std::uint64_t interval_ = 256;  // of snapshots, in steps
    std::map<std::uint64_t, simt::SteppedBlock::Snapshot> snapshots_;
    std::size_t snapshot_bytes_ = 0;
    std::vector<Undo> undo_;
};

template <typename Seen, typename Visit>
bool History::search_back(std::uint64_t end, Visit& visit) {
    const std::uint64_t here = now_;
    bool done = false;
    end = std::min<std::uint64_t>(end, schedule_.size());
    try {
        while (end > 0 && !done) {
            go_to(end);
            restore_before(end - 1);
            const std::uint64_t from = now_;
            std::vector<Seen> seen;
            while (now_ < end) {
                const std::uint64_t at = now_;
                visit.before(at, seen);
                step(schedule_[at]);
                visit.after(at, seen);
            }
            for (auto one = seen.rbegin(); one != seen.rend() && !done; ++one) done = visit.found(*one);
            end = from;
        }
    } catch (...) {
        go_to(here);
        throw;
    }
    go_to(here);
    return done;
}

}  // namespace ws::debug
