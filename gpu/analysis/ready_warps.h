#pragma once
// The warps of one scheduler in the order of their age, the youngest first: which of them is the first that
// can issue, and from when on one can. Only those whose next instruction is ready are looked at. Times are in
// clocks.

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "gpu/core/machine_code.h"

namespace ws {

// A unit of all schedulers, before which an instruction may have to wait.
enum class SharedQueue : std::uint8_t { none, lsu, adu };

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

    // A place for one more.
    void add_row() { rows_.emplace_back(); }
    // The rows of those that have not ended, at most kMost.
    void set_order(std::span<const int> rows);
    // Its next instruction, and from when on nothing but the gate holds it.
    void set(int row, IssueGate gate, double ready);
    // Until it is set again it has none.
    void hold(int row) { set(row, {}, kNever); }

    // The last one if it can, else the first in the order. `opens`: from when on a gate takes something.
    template <typename F>
    Choice choose(double now, int last, F&& opens) {
        if (last >= 0) {
            const Row& row = rows_[std::size_t(last)];
            if (row.ready <= now && opens(row.gate) <= now) return {last, now};
        }
        if (next_ <= now) wake(now);
        Choice made{-1, next_};
        for (std::uint64_t rest = awake_; rest != 0; rest &= rest - 1) {
            const int row = order_[std::size_t(std::countr_zero(rest))];
            const double opened = opens(rows_[std::size_t(row)].gate);
            if (opened <= now) return {row, now};
            if (opened < made.soonest) made.soonest = opened;
        }
        return made;
    }

  private:
    struct Row {
        double ready = kNever;
        int place = 0;  // in the order
        IssueGate gate;
    };
    void wake(double now);

    std::vector<Row> rows_;
    std::vector<int> order_;
    std::vector<double> ready_;  // in the order
    std::uint64_t awake_ = 0;    // places of those that are known to be ready
    double next_ = kNever;       // when the next of the others is, or before
};

}  // namespace ws
