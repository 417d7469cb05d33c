#pragma once
// Units of the clock of a multiprocessor, as queues: what takes how long, and when it is done. Times are in
// clocks.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ws {

// As if thrown, but the same in every run.
class Dice {
  public:
    // From 0 to 1, without both.
    double next() {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return (double(state_ >> 40) + 0.5) / double(1U << 24);
    }

  private:
    std::uint64_t state_ = 1;
};

// A unit that takes one thing after the other.
struct Queue {
    double free = 0;  // from when on
    double busy = 0;
    bool endless = false;  // it takes all at once, and in no time
    // When what takes so long is done, if it comes now.
    double take(double now, double clocks) {
        if (endless) return now;
        busy += clocks;
        free = std::max(free, now) + clocks;
        return free;
    }
};

// A unit with a queue before it, where so many instructions wait before warps do.
class Queued {
  public:
    explicit Queued(int length) : done_(std::size_t(std::max(1, length)), 0.0) {}

    double take(double now, double clocks) {
        const double done = unit_.take(now, clocks);
        done_[next_] = done;
        next_ = (next_ + 1) % done_.size();
        return done;
    }
    // From when on it has room.
    [[nodiscard]] double ready() const { return unit_.endless ? 0 : done_[next_]; }
    [[nodiscard]] double free() const { return unit_.free; }
    [[nodiscard]] double busy() const { return unit_.busy; }
    void make_endless() { unit_.endless = true; }

  private:
    Queue unit_;
    std::vector<double> done_;  // the last ones', round and round
    std::size_t next_ = 0;
};

// Device memory: channels, to which lines go as if by chance, so that some wait while others have nothing to
// do. What is written is collected, for a channel turns round between reading and writing.
class Channels {
  public:
    // `clocks` of a line, where all channels have something to do.
    explicit Channels(double clocks)
        : channels_(std::size_t(std::clamp(std::lround(kClocksOfLine / std::max(clocks, 1e-3)), 1L, kMost))) {
    }

    double take(double now, double clocks, bool write, Dice& dice) {
        const double service = clocks * double(channels_.size());
        if (endless) return now + service;
        busy += clocks;
        Channel& one = channels_[std::size_t(dice.next() * double(channels_.size()))];
        if (!write) return one.free = std::max(one.free, now) + service;
        one.to_write += service;
        if (++one.writes == kWrittenTogether) {
            one.free = std::max(one.free, now) + one.to_write;
            one.to_write = one.writes = 0;
        }
        return now;
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

  private:
    static constexpr long kMost = 256;
    static constexpr int kWrittenTogether = 8;
    struct Channel {
        double free = 0;
        double to_write = 0;  // clocks
        int writes = 0;
    };
    std::vector<Channel> channels_;
};

}  // namespace ws
