#pragma once
// Device memory as channels, to which lines go as if by chance, so that some wait while others have nothing
// to do. What is written is collected, for a channel turns round between reading and writing, and goes when
// there is enough of it, or when nothing has come to the channel for a while: what is read then waits behind
// it. A multiprocessor's own lines are few of those that are on their way to a channel: what is asked for
// waits in its channel, and takes the time of any one. Times are in clocks.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/analysis/clock_units.h"
#include "gpu/core/warp_trace.h"

namespace ws {

class Channels {
  public:
    // `clocks` of a line, where all channels have something to do; `turn`: what a line that is written takes
    // more where others are read by turns.
    Channels(double clocks, double turn)
        : channels_(std::size_t(std::clamp(std::lround(kClocksOfLine / std::max(clocks, 1e-3)), 1L, kMost))),
          turn_(turn * kWrittenTogether * double(channels_.size())) {}

    // Where a line lies among all channels, from 0 to 1: half of the pieces of 256 bytes behind their slice
    // of the second level, the others anywhere. Measured on an H200: in copies clocks of loads have a
    // correlation of 0.54 with those of their slice, of 0.15 with others of the KiB (bench/load_order).
    [[nodiscard]] static double place_of(std::uint64_t line) {
        constexpr std::uint64_t kPieceBytes = 256;
        constexpr double kApart = 0.5;
        const std::uint64_t address = line * kLineBytes, piece = address / kPieceBytes;
        return Dice::of(piece) < kApart ? Dice::of(~piece) : Dice::of(slice_of(address));
    }

    // What comes now waits for: no more than some lines wait at a channel on average, in its order. Where
    // there are more, the rest waits before all channels, and what comes now behind it.
    struct Ahead {
        double before = 0;  // all channels
        double at_one = 1;  // of what lies before a channel, the part that waits there
    };
    [[nodiscard]] Ahead ahead(double now) const {
        const double all = backlog(now);
        const double room = kLinesInChannel * read_service_;
        return all > room ? Ahead{all - room, room / all} : Ahead{};
    }
    // When what takes so long is read at a place.
    double read(double now, double clocks, double place, const Ahead& ahead, Dice& dice) {
        const double service = service_of(clocks);
        if (endless) return now + service;
        read_service_ += (service - read_service_) / kLately;
        const double waits = ahead.before + ahead.at_one * (channel(place, now).free - now);
        take_read(now, clocks, dice);
        return now + waits + service;
    }
    // The same for what nobody waits for.
    void read_unasked(double now, double clocks, Dice& dice) {
        if (!endless) take_read(now, clocks, dice);
    }
    void write(double now, double clocks, Dice& dice) {
        if (endless) return;
        busy += clocks;
        Channel& one = channel(dice.next(), now);
        one.to_write += service_of(clocks);
        if (++one.writes < kWrittenTogether) return;
        one.free += one.to_write + (one.has_read ? turn_ : 0);
        one.forget_writes();
    }

    // How long from now on they work for what they have begun with and what waits behind it, on average. What
    // is collected to be written is not among it.
    [[nodiscard]] double backlog(double now) const {
        double sum = 0;
        for (const Channel& one : channels_) sum += std::max(0.0, one.free - now);
        return sum / double(channels_.size());
    }
    // When they have done all that is on its way, on average.
    [[nodiscard]] double free() const {
        double sum = 0;
        for (const Channel& one : channels_) sum += one.free + one.to_write;
        return sum / double(channels_.size());
    }

    double busy = 0;
    bool endless = false;
    // Of one channel: an H200's multiprocessor has a share of 16.
    static constexpr double kClocksOfLine = 120;
    // For so long one waits for more to read before it turns round. Measured on an H200: with 100 clocks
    // copies of two and four warps of each multiprocessor move as much as there (bench/hits_beside_traffic).
    static constexpr double kIdle = 100;
    // So many lines are written one after the other. Measured on an H200: beside copies of 1.7, 2.8 and 3.6
    // TB/s loads take 132, 279 and 738 clocks longer than their latency (bench/hits_beside_traffic); by the
    // channels alone 126, 298 and 662, with eight lines 101, 250 and 597, with twelve 154, 350 and 729.
    static constexpr int kWrittenTogether = 10;
    // So many lines wait at a channel on average. Measured on an H200 (bench/load_order): loads of a
    // multiprocessor that has no part in the traffic take 750 to 1740 clocks longer than their latency, 6 to
    // 15 lines' time, however much is in flight; those of one that has a part in it up to 32 000
    // (docs/clock.md).
    static constexpr double kLinesInChannel = 12;

  private:
    static constexpr long kMost = 256;
    static constexpr double kLately = 64;  // reads
    struct Channel {
        double free = 0;
        double to_write = 0;  // clocks
        int writes = 0;
        bool has_read = false;  // since it wrote: it turns round, and back
        // Nothing was there to do for so long that it turned round and wrote all that was collected.
        void write_meanwhile(double now, double turn) {
            if (writes > 0 && now > free + kIdle) {
                free += kIdle + to_write + (has_read ? turn : 0);
                forget_writes();
            }
            free = std::max(free, now);
        }
        void forget_writes() {
            to_write = writes = 0;
            has_read = false;
        }
    };

    [[nodiscard]] double service_of(double clocks) const { return clocks * double(channels_.size()); }
    // As it is now.
    Channel& channel(double place, double now) {
        Channel& one = channels_[std::size_t(place * double(channels_.size()))];
        one.write_meanwhile(now, turn_);
        return one;
    }
    void take_read(double now, double clocks, Dice& dice) {
        busy += clocks;
        Channel& one = channel(dice.next(), now);
        one.has_read = true;
        one.free += service_of(clocks);
    }

    std::vector<Channel> channels_;
    double turn_;                          // clocks of a channel: to writing and back
    double read_service_ = kClocksOfLine;  // of what was read lately, on average
};

}  // namespace ws
