#pragma once
// Which of one scheduler's warps issues. The one that issued last, if it can and has not yielded. Else one of
// a block: of the oldest that has a warp in a run and that can; where none has, of the oldest that has any
// that can. Of a block's warps the first behind the one that issued last, round and round. A warp is in a run
// when its last instruction did not yield and nothing but its stall count holds the next one, until a full
// queue holds it. So that none starves, a warp that has issued nothing for a whole round of the
// multiprocessor's clock goes before all others then, for one instruction; whether it could have issued is
// taken not to matter. Only warps whose next instruction is ready are looked at. Times are in clocks.
//
// Measured on an H200: by loops of chosen instructions (tools/register-ports), by the begins and ends of
// warps (blocks end in the order in which they began), by Nsight Compute's samples of each instruction's
// waits (docs/clock.md): without the runs young warps wait in other places; and by the times at which warps
// go on that others keep from a pipe (bench/starving_warps).

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "gpu/core/machine_code.h"

namespace ws {

// A unit of all schedulers, before which an instruction may have to wait; `special`: the load/store unit's
// for special registers, which only what uses shared memory holds.
enum class SharedQueue : std::uint8_t { none, lsu, special, adu };
inline constexpr std::size_t kSharedQueues = std::size_t(SharedQueue::adu) + 1;

// What takes a warp's next instruction.
struct IssueGate {
    MachinePipe pipe = MachinePipe::unknown;
    SharedQueue queue = SharedQueue::none;
    bool yields = false;  // another warp goes first
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
    // Those that have not ended, at most kMost, by the age of their blocks, the oldest first.
    void set_order(std::span<const Place> places);
    // Its next instruction, and from when on nothing but the gate holds it; whether until then only the stall
    // count of its last one does.
    void set(int row, IssueGate gate, double ready, bool only_stalled);
    // Until it is set again it has none.
    void hold(int row) { set(row, {}, kNever, false); }

    // Who issues now. `opens`: from when on a gate takes something.
    template <typename F>
    Choice choose(double now, F&& opens) {
        if (now >= round_ends_) end_rounds(now);
        if (starved_ > 0) {
            if (const int row = first_starved(now, opens); row != kNone) return issue(row, now);
        }
        if (last_ >= 0) {
            const Row& row = rows_[std::size_t(last_)];
            if (row.ready <= now && opens(row.gate) <= now) return issue(last_, now);
        }
        if (next_ <= now) wake(now);
        double soonest = next_;
        int block = kNone;  // whose turn it is, by its place
        for (std::uint64_t rest = awake_; rest != 0; rest &= rest - 1) {
            Row& row = rows_[std::size_t(order_[std::size_t(std::countr_zero(rest))])];
            const double opened = opens(row.gate);
            if (opened > now) {
                soonest = std::min(soonest, opened);
                if (row.gate.queue != SharedQueue::none) row.in_run = false;
                continue;
            }
            if (block == kNone || row.in_run) block = row.block_place;
            if (row.in_run) break;
        }
        const auto can = [&](const Row& row) { return opens(row.gate) <= now; };
        if (block != kNone) return issue(first_behind_last(block, can), now);
        if (last_ >= 0 && is_queued(rows_[std::size_t(last_)], now)) last_ = kNone;
        return {kNone, soonest};
    }

  private:
    static constexpr int kNone = -1;
    static constexpr double kNotYet = -1;
    // Of the multiprocessor's clock; a launch begins anywhere in one, here in the middle.
    static constexpr double kRound = 16384;
    struct Row {
        double ready = kNever;
        double issued = kNotYet;
        int place = 0;  // in the order
        int block = kNone;
        int block_place = 0;  // of its block in the order
        IssueGate gate;
        bool yielded = true;  // by its last instruction; one that has none yet is in no run
        bool in_run = false;
        bool idle = false;     // has issued nothing since the round began
        bool starved = false;  // nor in the one before: it goes first
    };
    [[nodiscard]] static bool is_queued(const Row& row, double now) {
        return row.ready <= now && row.gate.queue != SharedQueue::none;
    }
    // Of a block that has one that can.
    template <typename F>
    [[nodiscard]] int first_behind_last(int block, F&& can) const {
        const int last = last_of_[std::size_t(block)];
        int first = kNone;
        for (std::uint64_t rest = awake_; rest != 0; rest &= rest - 1) {
            const int number = order_[std::size_t(std::countr_zero(rest))];
            const Row& row = rows_[std::size_t(number)];
            if (row.block_place > block) break;
            if (row.block_place < block || !can(row)) continue;
            if (row.place > last) return number;
            if (first == kNone) first = number;
        }
        return first;
    }
    // Of the oldest block that has a starved one that can; kNone: none has.
    template <typename F>
    [[nodiscard]] int first_starved(double now, F&& opens) {
        if (next_ <= now) wake(now);
        const auto can = [&](const Row& row) { return row.starved && opens(row.gate) <= now; };
        for (std::uint64_t rest = awake_; rest != 0; rest &= rest - 1) {
            const Row& row = rows_[std::size_t(order_[std::size_t(std::countr_zero(rest))])];
            if (can(row)) return first_behind_last(row.block_place, can);
        }
        return kNone;
    }
    Choice issue(int number, double now) {
        Row& row = rows_[std::size_t(number)];
        row.issued = now;
        row.idle = false;
        starved_ -= std::exchange(row.starved, false) ? 1 : 0;
        row.yielded = row.gate.yields;
        if (!row.yielded)
            last_ = number;
        else if (last_ == number)
            last_ = kNone;
        last_of_[std::size_t(row.block_place)] = row.place;
        return {number, now};
    }
    void wake(double now);
    void end_rounds(double now);

    std::vector<Row> rows_;
    std::vector<int> order_;
    std::vector<double> ready_;  // in the order
    std::vector<int> last_of_;   // of each block the place of the warp that issued last; -1: none has
    std::uint64_t awake_ = 0;    // places of those that are known to be ready
    double next_ = kNever;       // when the next of the others is, or before
    double round_ends_ = kRound / 2;
    int starved_ = 0;   // warps
    int last_ = kNone;  // row that is preferred
};

}  // namespace ws
