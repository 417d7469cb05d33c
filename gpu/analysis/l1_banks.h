#pragma once
// The banks that L1 and shared memory have in common: what they give in its turn, in the order in which it
// was looked up, and what comes later, once it is there. Times are in clocks.

#include <algorithm>

#include "gpu/analysis/calendar.h"
#include "gpu/analysis/clock_rates.h"
#include "gpu/analysis/clock_units.h"

namespace ws {

// The banks of L1 give loads what was there and what has just come. Between the two they lose clocks, as
// often as one kind follows the other by chance. Measured on an H200 (bench/late_loads) with so many loads on
// the way that nothing else holds them: 1.04 clocks each if all hit L1, 1.05 if none does; 0.04 to 0.08, 0.13
// to 0.18 and 0.09 to 0.11 more if one in eight, half, seven in eight do not (here 0.07, 0.15 and 0.07).
class BankTurns {
  public:
    // What a load loses on average behind those before it. Whether it is late itself counts for the next
    // ones.
    double lost(bool late) {
        const double clocks = kTurn * late_ * (1 - late_);
        late_ += ((late ? 1 : 0) - late_) / kLoads;
        return clocks;
    }
    // From what was there to what has just come, and back.
    static constexpr double kTurn = 0.6;

  private:
    static constexpr double kLoads = 64;  // about so many count
    double late_ = 0;                     // the part of them that was
};

class L1Banks {
  public:
    explicit L1Banks(const ClockRates& rates)
        : line_(rates.access.line),
          latency_(rates.latency.l1),
          underway_(rates.latency.l1 - rates.latency.shared) {}

    // A load's.
    struct Work {
        double clocks = 0;    // in its turn
        double lost = 0;      // beside these
        double late = 0;      // for what comes later, with what is lost for it
        bool in_turn = true;  // else all of it comes later
    };
    // Of so many of whose lines some are late. What is late goes when it comes. Words of one and two bytes
    // (narrow) have their turn nevertheless, and turns cost nothing more with them. Measured on an H200
    // (bench/late_loads): of loads of bytes of which none, a quarter, half, three quarters and all are late
    // each takes 1.01, 1.31, 1.54, 1.78 and 2.02, of four lines of which one is late 2.9; of words of four
    // bytes 1.01, 1.13, 1.17, 1.1, 1.07 and 2.2 to 2.7.
    Work work_of(double clocks, double lines, double late, bool narrow) {
        Work work{clocks};
        const bool in_part = late > 0 && late < lines;
        const double turns = turns_.lost(late > 0);  // of all loads, these among them
        if (narrow) {
            if (in_part) work.lost = line_;
            if (late > 0) work.late = clocks;
        } else if (late > 0) {
            work.in_turn = false;
            work.late = clocks + turns + (in_part ? line_ + BankTurns::kTurn : 0);
        } else {
            work.lost = turns;
        }
        return work;
    }

    // When a load that has been looked up has had its turn, for which what comes late makes it wait no longer
    // than twice its own clocks. Measured on an H200: loads that hit come 34 clocks after their issue alone,
    // 48 where late ones take 70 % of the banks, 62 where these take all.
    double give(double looked_up, const Work& work) {
        if (endless) return looked_up;
        busy += work.clocks;
        if (!work.in_turn) return looked_up;
        constexpr double kWaitsFor = 2;
        const double late = all_.busy_from(std::max(looked_up, free_));
        free_ =
            std::max(looked_up, free_) + work.clocks + (work.lost + std::min(late, kWaitsFor * work.clocks));
        const double taken = work.clocks + work.lost;
        (void)all_.fill(free_ - taken, taken);
        return free_;
    }
    // When a load's data are there that come from elsewhere at `there`, through what is left of the banks.
    double give_late(double there, const Work& work) {
        if (endless || work.late <= 0) return there;
        return all_.fill(there - latency_, work.late) - 1 + latency_;
    }

    // How long what the load/store unit brings at `begins` waits: it takes turns with the loads that wait or
    // come late. A load is on its way to the banks for longer, so that some of those have not come yet.
    [[nodiscard]] double turns_of(double begins, double clocks) const {
        const double waiting = std::max(free_ - begins, all_.busy_from(begins)) - underway_;
        return std::clamp(waiting, 0.0, clocks);
    }
    void take(double from, double clocks) {
        if (endless) return;
        busy += clocks;
        free_ = std::max(free_, from) + clocks;
        (void)all_.fill(from, clocks);
    }

    // From when on they have given all that has had its turn.
    [[nodiscard]] double free() const { return free_; }
    // Nobody will ask for a time before this one.
    void forget(double until) { all_.forget(until); }

    double busy = 0;
    bool endless = false;  // they give all at once, and in no time

  private:
    double line_, latency_, underway_;
    double free_ = 0;
    Calendar all_;
    BankTurns turns_;
};

}  // namespace ws
