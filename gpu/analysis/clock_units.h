#pragma once
// Units of the clock of a multiprocessor, as queues: what takes how long, and when it is done. Times are in
// clocks.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/analysis/calendar.h"
#include "gpu/analysis/clock_rates.h"
#include "gpu/analysis/latest.h"

namespace ws {

// As if thrown, but the same in every run.
class Dice {
  public:
    // From 0 to 1, without both.
    double next() {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return (double(state_ >> 40) + 0.5) / double(1U << 24);
    }

    // The same whenever the same key asks.
    [[nodiscard]] static double of(std::uint64_t key) {
        key += 0x9e3779b97f4a7c15U;
        key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9U;
        key = (key ^ key >> 27) * 0x94d049bb133111ebU;
        return (double((key ^ key >> 31) >> 40) + 0.5) / double(1U << 24);
    }

  private:
    std::uint64_t state_ = 1;
};

// A unit that takes one thing after the other.
struct Queue {
    double free = 0;  // from when on
    double busy = 0;
    bool endless = false;  // it takes all at once, and in no time
    // When what takes so long is done, if it comes now. What it loses beside is no work of the unit.
    double take(double now, double clocks, double lost = 0) {
        if (endless) return now;
        busy += clocks;
        free = std::max(free, now) + clocks + lost;
        return free;
    }
};

// The last times of so many, round and round.
class Ring {
  public:
    explicit Ring(int length) : times_(std::size_t(std::max(1, length)), 0.0) {}
    [[nodiscard]] double oldest() const { return times_[next_]; }
    void put(double time) {
        times_[next_] = time;
        next_ = next_ + 1 == times_.size() ? 0 : next_ + 1;
    }
    // The same of so many at once: the youngest of the oldest ones; of more than there are, the last; of
    // none, long ago.
    [[nodiscard]] double oldest(int count) const {
        if (count <= 0) return 0;
        const std::size_t past = std::min(std::size_t(count), times_.size()) - 1;
        return times_[(next_ + past) % times_.size()];
    }
    void put(double time, int count) {
        for (int i = 0; i < count; ++i) put(time);
    }

  private:
    std::vector<double> times_;
    std::size_t next_ = 0;
};

// What a unit of all schedulers is asked for.
struct UnitWork {
    enum class Kind : std::uint8_t { other, load, store };  // of global or local memory

    double clocks = 1;
    double from = 0;     // at the earliest
    double reading = 0;  // clocks for its operands
    Kind kind = Kind::other;
    bool overtakes = false;  // it has none, and goes past those that wait for theirs
};

// A unit of all schedulers, which takes one thing after the other. Before it each scheduler has a queue of
// its own, whose operands are read one after the other and go by a way of the scheduler's own, a place for
// some that have been read, and behind these there are queues of all schedulers, into which one comes after
// the other; only when the first is full, a warp waits. What goes to memory has no place in between: it stays
// in the first until the last has room. Loads, stores and all else have a last queue each, so that stores
// which the second level does not take hold no loads, and neither of these requests to shared memory. What
// has no operands (special registers) overtakes those that wait for theirs. Measured on an H200: of loads
// that L1 has no room for, and of stores that the second level does not take, each scheduler that has some
// issues eight before its warps wait (bench/l1_room), of requests to shared memory nine or ten
// (bench/unit_queues); of four schedulers each the 13th waits, three clocks, and every further one, too,
// where one alone issues 14 (docs/clock.md). Where warps load, store to 32 lines and end, 21 stores wait on
// average after their warps' end, and six warps for special registers, which come once what is stored has
// been read; without the loads 28 and twelve (bench/warp_waits). So 14 or 15 of the stores have been read.
class SharedUnit {
  public:
    SharedUnit(int schedulers, const UnitQueue& queue)
        : reads_after_(queue.reads_after),
          into_clocks_(queue.into),
          schedulers_(std::size_t(schedulers), Scheduler{Ring(queue.own), Ring(queue.read)}),
          of_all_{Ring(queue.others), Ring(queue.loads), Ring(queue.stores)} {}

    // When it is done; until then it has a place in the queue.
    double take(int scheduler, double now, const UnitWork& work) {
        if (endless) return now;
        busy += work.clocks;
        Scheduler& own = schedulers_[std::size_t(scheduler)];
        const bool of_memory = work.kind != UnitWork::Kind::other;
        Ring& of_all = of_all_[std::size_t(work.kind)];
        const double room = of_memory ? of_all.oldest() : own.has_read.oldest();
        const double way = work.overtakes ? latest(now, room) : latest(own.free, now, room);
        const double read = way + reads_after_;
        // What overtakes a full queue has no place in it.
        if (!work.overtakes || own.waiting.oldest() <= now) own.waiting.put(read);
        if (!work.overtakes) {
            own.free = way + work.reading;
            own.read = read;
        }
        if (!of_memory) own.other_read = std::max(own.other_read, read);
        // Into the queue of all when there is room.
        into_.forget(now);
        const double queued = into_.take(std::max(way, of_all.oldest()), into_clocks_);
        if (!of_memory) own.has_read.put(queued);
        calendar_.forget(now);
        const double done = calendar_.take(std::max(queued, work.from), work.clocks) + work.clocks;
        of_all.put(done);
        free_ = std::max(free_, done);
        return done;
    }
    // When it has done all that was asked of it.
    [[nodiscard]] double free() const { return free_; }
    // From when on the scheduler's queue has room.
    [[nodiscard]] double ready(int scheduler) const {
        return endless ? 0 : schedulers_[std::size_t(scheduler)].waiting.oldest();
    }
    // From when on something can pass it: at once, unless it is full and not all of it goes to memory. By
    // Nsight Compute's samples of an H200 special registers wait before a full queue where a kernel stores to
    // shared memory between its loads (`transpose` V6 12 % of the warps' time, here 11), and not behind loads
    // alone.
    [[nodiscard]] double ready_to_pass(int scheduler) const {
        const double room = ready(scheduler);
        return schedulers_[std::size_t(scheduler)].other_read >= room ? room : 0;
    }
    // When it reads the operands of the last that the scheduler asked of it.
    [[nodiscard]] double reads(int scheduler) const { return schedulers_[std::size_t(scheduler)].read; }

    double busy = 0;
    bool endless = false;

  private:
    struct Scheduler {
        Ring waiting, has_read;
        double read = 0, free = 0;
        double other_read = 0;  // the last one that does not go to memory
    };

    double reads_after_, into_clocks_;
    std::vector<Scheduler> schedulers_;
    Calendar calendar_, into_;    // when it works, and when something comes into the queue of all
    std::array<Ring, 3> of_all_;  // by kind
    double free_ = 0;
};

// How much of what the second level can do is used, as profilers count it: of its two networks, to it and
// from it, and of its slices' looking up of sectors, what is used most. Times do not depend on it.
class SecondLevelUse {
  public:
    // `clocks`: at the measured rates. A line is looked up at least as two of its sectors are.
    void add(double sectors, double lines, double clocks, bool to) {
        (to ? to_ : from_) += clocks;
        looked_up_ += looked_up(sectors, lines);
    }
    // Sectors that come from device memory, or go there.
    void add_moved(double sectors) { looked_up_ += looked_up_for_moving(sectors); }
    // `read_sector`: clocks for a sector at the rate at which they come.
    [[nodiscard]] double busy(double read_sector) const {
        return std::max({to_, from_, clocks_of_slice(looked_up_, read_sector)});
    }

    [[nodiscard]] static double looked_up(double sectors, double lines) {
        return std::max(sectors, 2 * lines);
    }
    [[nodiscard]] static double looked_up_for_moving(double sectors) { return kMoved * sectors; }
    // Of each slice, for its part of what all multiprocessors look up if each looks up so many.
    [[nodiscard]] static double clocks_of_slice(double looked_up, double read_sector) {
        return looked_up * read_sector / kLookups;
    }

  private:
    // Sectors that the slices look up while one comes: an H200's 96 slices take two a clock each, and its
    // multiprocessors get 32.5 bytes a clock.
    static constexpr double kLookups = 1.43;
    // What moving a sector adds to looking it up, by Nsight Compute's shares: an H200's second level works
    // 9.8 us for 67 MB that are read from device memory, and 5.5 for as many that are written and stay.
    static constexpr double kMoved = 0.75;
    double to_ = 0, from_ = 0, looked_up_ = 0;
};

// Sectors that came from device memory, and went there.
struct MovedSectors {
    double from_memory = 0, to_memory = 0;
};

}  // namespace ws
