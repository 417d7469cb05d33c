#pragma once
// Which of one scheduler's warps issues: the one that issued last, if it can; else one of the youngest block
// that has any that can, and of this block's the first behind the one that issued last, round and round.
// Where none can, the last one stays the last, unless what holds it is a full queue before a unit. Only warps
// whose next instruction is ready are looked at. Times are in clocks.
//
// Measured on an H200 with loops of chosen instructions and of kernels, by warps of one block:
// tools/register-ports. Of blocks an H200 takes the oldest; docs/clock.md has why the youngest goes here.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "gpu/core/machine_code.h"

namespace ws {

// A unit of all schedulers, before which an instruction may have to wait.
enum class SharedQueue : std::uint8_t { none, lsu, adu };
inline constexpr std::size_t kSharedQueues = std::size_t(SharedQueue::adu) + 1;

// What takes a warp's next instruction.
struct IssueGate {
    MachinePipe pipe = MachinePipe::unknown;
    SharedQueue queue = SharedQueue::none;
};

class ReadyWarps {
  public:
    static constexpr double kNever = double(std::numeric_limits<std::int64_t>::max());
    static constexpr std::size_t kMost = 64;  // warps that a multiprocessor has places for

    struct Choice {
        int row = -1;  // -1: none can
        double soonest = kNever;
    };
    struct Place {
        int row = 0;
        int block = 0;  // of its warp
    };

    // A place for one more.
    void add_row() { rows_.emplace_back(); }
    // Those that have not ended, at most kMost, by the age of their blocks, the youngest first.
    void set_order(std::span<const Place> places);
    // Its next instruction, and from when on nothing but the gate holds it.
    void set(int row, IssueGate gate, double ready);
    // Until it is set again it has none.
    void hold(int row) { set(row, {}, kNever); }

    // Who issues now. `opens`: from when on a gate takes something.
    template <typename F>
    Choice choose(double now, F&& opens) {
        if (last_ >= 0) {
            const Row& row = rows_[std::size_t(last_)];
            if (row.ready <= now && opens(row.gate) <= now) return issue(last_, now);
        }
        if (next_ <= now) wake(now);
        double soonest = next_;
        int chosen = -1;
        for (std::uint64_t rest = awake_; rest != 0; rest &= rest - 1) {
            const int number = order_[std::size_t(std::countr_zero(rest))];
            const Row& row = rows_[std::size_t(number)];
            if (chosen >= 0 && row.block_place != rows_[std::size_t(chosen)].block_place) break;
            const double opened = opens(row.gate);
            if (opened > now)
                soonest = std::min(soonest, opened);
            else if (chosen < 0 || comes_before(row, rows_[std::size_t(chosen)]))
                chosen = number;
        }
        if (chosen >= 0) return issue(chosen, now);
        if (last_ >= 0 && is_queued(rows_[std::size_t(last_)], now)) last_ = -1;
        return {-1, soonest};
    }

  private:
    struct Row {
        double ready = kNever;
        double issued = kNotYet;
        int place = 0;  // in the order
        int block = -1;
        int block_place = 0;  // of its block in the order
        IssueGate gate;
    };
    static constexpr double kNotYet = -1;
    [[nodiscard]] static bool is_queued(const Row& row, double now) {
        return row.ready <= now && row.gate.queue != SharedQueue::none;
    }
    // Of two of a block.
    [[nodiscard]] bool comes_before(const Row& one, const Row& other) const {
        const int last = last_of_[std::size_t(one.block_place)];
        const bool behind = one.place > last;
        return behind == (other.place > last) ? one.place < other.place : behind;
    }
    Choice issue(int number, double now) {
        Row& row = rows_[std::size_t(number)];
        last_ = number;
        row.issued = now;
        last_of_[std::size_t(row.block_place)] = row.place;
        return {number, now};
    }
    void wake(double now);

    std::vector<Row> rows_;
    std::vector<int> order_;
    std::vector<double> ready_;  // in the order
    std::vector<int> last_of_;   // of each block the place of the warp that issued last; -1: none has
    std::uint64_t awake_ = 0;    // places of those that are known to be ready
    double next_ = kNever;       // when the next of the others is, or before
    int last_ = -1;              // row that issued last; -1: none is preferred
};

}  // namespace ws
