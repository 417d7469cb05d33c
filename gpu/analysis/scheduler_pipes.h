#pragma once
// The pipes of one scheduler: what each instruction occupies, for how long, and when they take the next one.
// Times are in clocks.

#include <array>
#include <vector>

#include "gpu/analysis/clock_rates.h"
#include "gpu/core/estimate.h"

namespace ws {

class SchedulerPipes {
  public:
    // `rates` outlives it.
    explicit SchedulerPipes(const ClockRates& rates);
    explicit SchedulerPipes(const ClockRates&& temporary) = delete;

    // From when on it takes an instruction of that pipe.
    [[nodiscard]] double ready(MachinePipe pipe) const {
        return free_[std::size_t(goes_to_[std::size_t(pipe)])] - room_ahead_[std::size_t(pipe)];
    }
    // That an instruction takes, if it passes once.
    [[nodiscard]] double clocks_of(MachinePipe pipe) const { return rates_.pipe_clocks[std::size_t(pipe)]; }
    // An instruction of the pipe goes through it, so many times. Returns how long it waits in a place before.
    double take(MachinePipe pipe, int passes, double now);
    // Instructions that were issued to the pipe since then; for the half that has the products of integers
    // also the sums that went there.
    [[nodiscard]] int taken_since(MachinePipe pipe, double then) const;
    // Places of issue, one after the other, that it takes.
    [[nodiscard]] static int places_of(const MachineInstruction& instruction) {
        return instruction.passes > 1 ? kPlacesOfWide : 1;
    }

    // Adds the share of one of `schedulers` of what the parts worked.
    void add_busy(std::array<double, kParts>& busy, std::size_t schedulers) const;

  private:
    // Of issue, that a product of 64 bits takes (IMAD.WIDE, IMAD.HI): measured on an H200,
    // tools/register-ports.
    static constexpr int kPlacesOfWide = 3;
    // From when an instruction is issued until the unit of special functions begins with it. Before the unit
    // one more has a place, from then on. Measured on an H200 (bench/special_functions, by Nsight Compute):
    // of four, six and eight warps of a scheduler that compute a power of two and four sums by turns 83, 67
    // and 51 % of the time is waiting for results, 1, 15 and 31 for the unit; here 83, 67 and 50, 0, 15 and
    // 33, without the place 78, 58 and 44.
    static constexpr double kOnTheWayToXu = 4;

    // When instructions were issued, in their order.
    class Times {
      public:
        // Or not, as if thrown: without a branch.
        void add_if(bool yes, double now) {
            if (count_ == times_.size()) times_.resize(2 * count_ + 64);
            times_[count_] = now;
            count_ += std::size_t(yes);
        }
        [[nodiscard]] int since(double then) const;

      private:
        std::vector<double> times_;  // there is room behind them
        std::size_t count_ = 0;
    };
    template <typename T>
    using OfPipes = std::array<T, kMachinePipes>;

    const ClockRates& rates_;
    // Where an instruction of each goes. 128 lanes of FMA are two halves of which one has the products of
    // integers: what both can do goes to the one that did not take the last instruction of any kind.
    OfPipes<MachinePipe> goes_to_;
    OfPipes<MachinePipe> then_;  // where sums go after an instruction there; unknown: where they would have
    OfPipes<double> clocks_;     // that it is taken
    OfPipes<double> room_ahead_{};  // how long before it is free there is a place before it
    OfPipes<double> free_{};
    OfPipes<double> busy_{};
    OfPipes<Times> taken_;  // by pipe, sums twice
};

}  // namespace ws
