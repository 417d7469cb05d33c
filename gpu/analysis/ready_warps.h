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
//
// Sets of warps are words with a bit for each place in the order; gates are asked once for all warps that are
// ready before them.

#include <algorithm>
#include <array>
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
// for special registers of lanes and warps, which only what does not go to memory holds.
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

    ReadyWarps() { ready_.back() = kNever; }

    // A place for one more.
    void add_row() { rows_.emplace_back(); }
    // Those that have not ended, at most kMost, by the age of their blocks, the oldest first.
    void set_order(std::span<const Place> places);
    // Its next instruction, and from when on nothing but the gate holds it; whether until then only the stall
    // count of its last one does.
    void set(int row, IssueGate gate, double ready, bool only_stalled) {
        Row& one = rows_[std::size_t(row)];
        const Warps warp = warp_at(one.place);
        sleep(warp, one.gate);
        one.gate = gate;
        ready_[std::size_t(one.place)] = ready;
        const auto runs = Warps(only_stalled) & Warps(!one.yielded);
        in_run_ = (in_run_ & ~warp) | runs << one.place;
        next_ = std::min(next_, ready);
    }
    // Until it is set again it has none.
    void hold(int row) { set(row, {}, kNever, false); }

    // Who issues now. `opens`: from when on a gate takes something.
    template <typename F>
    Choice choose(double now, F&& opens) {
        if (now >= round_ends_) end_rounds(now);
        if (starved_ != 0) {
            if (next_ <= now) wake(now);
            if (const Warps can = before_open_gates(now, opens).can & starved_; can != 0)
                return issue(next_of(block_of(first(can)), can), now);
        }
        const bool last_is_ready = ready_[last_] <= now;
        if (last_is_ready && opens(gate_of_last()) <= now) return issue(order_[last_], now);
        if (next_ <= now) wake(now);
        const AtGates at = before_open_gates(now, opens);
        const Warps runs = at.can & in_run_;
        // Who comes behind the first in a run is not looked at.
        in_run_ &= ~(at.queued & before(first_alone(runs)));
        if (at.can != 0) return issue(next_of(block_of(first(runs != 0 ? runs : at.can)), at.can), now);
        if (last_is_ready && gate_of_last().queue != SharedQueue::none) last_ = kMost;
        return {kNone, std::min(next_, at.soonest)};
    }

  private:
    static constexpr int kNone = -1;
    static constexpr double kNotYet = -1;
    // Of the multiprocessor's clock; a launch begins anywhere in one, here in the middle.
    static constexpr double kRound = 16384;
    static constexpr std::size_t kGates = std::size_t(kMachinePipes) * kSharedQueues;
    static_assert(kGates <= 64);

    using Warps = std::uint64_t;  // by their places in the order
    struct Row {
        double issued = kNotYet;
        int place = kNone;  // in the order
        int block = kNone;
        IssueGate gate;
        bool yielded = true;  // by its last instruction; one that has none yet is in no run
    };
    struct Block {
        Warps warps = 0;
        Warps until_last = 0;  // up to the one that issued last, with it
    };
    // Of the warps that are ready now.
    struct AtGates {
        Warps can = 0, queued = 0;  // before a full queue
        double soonest = kNever;    // when a gate opens that is closed
    };

    [[nodiscard]] static Warps warp_at(int place) { return Warps(1) << place; }
    [[nodiscard]] static int first(Warps warps) { return std::countr_zero(warps); }
    // None where there is none, before which all are.
    [[nodiscard]] static Warps first_alone(Warps warps) { return warps & (0 - warps); }
    [[nodiscard]] static Warps before(Warps warp) { return warp - 1; }
    [[nodiscard]] static Warps all_if(bool yes) { return 0 - Warps(yes); }
    [[nodiscard]] static Warps up_to(Warps warp) { return warp | before(warp); }
    [[nodiscard]] static std::size_t number_of(IssueGate gate) {
        return std::size_t(gate.pipe) * kSharedQueues + std::size_t(gate.queue);
    }
    [[nodiscard]] static IssueGate gate_of(std::size_t number) {
        return {MachinePipe(number / kSharedQueues), SharedQueue(number % kSharedQueues)};
    }
    [[nodiscard]] int block_of(int place) const { return block_at_[std::size_t(place)]; }
    [[nodiscard]] IssueGate gate_of_last() const { return rows_[std::size_t(order_[last_])].gate; }
    template <typename F>
    [[nodiscard]] AtGates before_open_gates(double now, F&& opens) const {
        AtGates made;
        for (std::uint64_t rest = gates_; rest != 0; rest &= rest - 1) {
            const auto number = std::size_t(std::countr_zero(rest));
            const IssueGate gate = gate_of(number);
            const double opened = opens(gate);
            // Whether it is open is as if thrown.
            const Warps can = awake_[number] & all_if(opened <= now);
            made.can |= can;
            made.queued |= (awake_[number] ^ can) & all_if(gate.queue != SharedQueue::none);
            made.soonest = std::min(made.soonest, std::array{kNever, opened}[can == 0]);
        }
        return made;
    }
    // Of these warps one of the block, which has some: its row.
    [[nodiscard]] int next_of(int block, Warps can) const {
        const Block& one = blocks_[std::size_t(block)];
        const Warps all = can & one.warps;
        const Warps behind = all & ~one.until_last;
        return order_[std::size_t(first(behind | (all & all_if(behind == 0))))];
    }
    Choice issue(int number, double now) {
        Row& row = rows_[std::size_t(number)];
        const Warps warp = warp_at(row.place);
        row.issued = now;
        idle_ &= ~warp;
        starved_ &= ~warp;
        row.yielded = row.gate.yields;
        const auto place = std::size_t(row.place);
        const std::size_t without = last_ == place ? kMost : last_;
        last_ = row.yielded ? without : place;
        blocks_[std::size_t(block_of(row.place))].until_last = up_to(warp);
        return {number, now};
    }
    // It is not known to be ready before its gate.
    void sleep(Warps warp, IssueGate gate) {
        const std::size_t number = number_of(gate);
        known_ &= ~warp;
        awake_[number] &= ~warp;
        gates_ &= ~(std::uint64_t(awake_[number] == 0) << number);
    }
    void wake(double now);
    void end_rounds(double now);

    std::vector<Row> rows_;
    // In the order:
    std::size_t count_ = 0;
    std::array<int, kMost> order_{};         // rows
    std::array<double, kMost + 1> ready_{};  // behind them, of none: never
    std::array<int, kMost> block_at_{};      // the warp's, below
    std::array<Block, kMost> blocks_{};      // the oldest first
    Warps known_ = 0;                        // to be ready
    std::array<Warps, kGates> awake_{};      // of these, those before each gate
    std::uint64_t gates_ = 0;                // before which there are some
    Warps in_run_ = 0;
    Warps idle_ = 0;        // that have issued nothing since the round began
    Warps starved_ = 0;     // nor in the one before: they go first
    double next_ = kNever;  // when the next of the others is ready, or before
    double round_ends_ = kRound / 2;
    std::size_t last_ = kMost;  // that is preferred; kMost: none
};

}  // namespace ws
