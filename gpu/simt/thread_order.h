#pragma once
// Which accesses of a block's threads lie before others: what barriers, synchronising warp instructions and
// fences with flags order.
//
// Every warp has a time that only grows. A thread's access carries its warp's time; a thread knows another up
// to a time: all that the other did earlier happens before what the one does next. Barriers of all threads
// need none of this: whoever records accesses starts anew after one (epoch).

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ws::simt {

class ThreadOrder {
  public:
    // What the warps that arrived at a barrier know, for those that leave it.
    struct Arrivals {
        std::vector<std::uint32_t> warps;
        std::vector<std::uint32_t> threads;
    };

    void begin_block(int threads);
    // A barrier that all threads of the block pass together.
    void barrier_of_all() { ++epoch_; }
    [[nodiscard]] std::uint32_t epoch() const { return epoch_; }  // of this block: 0 before its first barrier
    [[nodiscard]] std::uint32_t time_of(int thread) const { return times_[std::size_t(thread / 32)]; }
    // Whether what `earlier` did at that time (of this epoch) happens before what `now` does next.
    [[nodiscard]] bool before(int earlier, std::uint32_t time, int now) const {
        if (earlier == now) return true;
        const auto theirs = std::size_t(earlier) / 32;
        const auto ours = std::size_t(now) / 32;
        if (time < (theirs == ours ? meeting_[ours] : known_[ours * warps_ + theirs])) return true;
        return any_row_ && row_tells(earlier, time, now);
    }

    // The lanes wait for each other; `live` are all lanes of the warp that have not ended.
    void meet(int warp, std::uint32_t lanes, std::uint32_t live);
    void arrive(int warp, Arrivals& arrivals);
    void leave(int warp, const Arrivals& arrivals);

    // Fences, and flags that are set after one: who reads the flag knows what its setter did before the
    // fence. `wide`: for the threads of other blocks, too.
    void fence(int warp, std::uint32_t lanes, bool wide);
    [[nodiscard]] bool fenced(int thread, bool wide) const;
    void set_flag(std::uint64_t flag, int thread, bool at_once);
    void read_flag(std::uint64_t flag, int thread);
    [[nodiscard]] bool has_read(std::uint64_t flag, int thread) const;
    // What a thread may hand on: for each thread of the block, up to when it is known.
    [[nodiscard]] std::vector<std::uint32_t> known_to(int thread, bool at_once) const;

  private:
    [[nodiscard]] bool row_tells(int earlier, std::uint32_t time, int now) const;
    std::vector<std::uint32_t>& row_of(int thread);
    void join_rows(int warp, std::uint32_t lanes, std::vector<std::uint32_t>& sum) const;
    void learn(int warp, std::uint32_t lanes, const std::vector<std::uint32_t>& sum);

    std::size_t warps_ = 0;
    std::size_t threads_ = 0;
    std::uint32_t epoch_ = 0;
    std::vector<std::uint32_t> times_;    // by warp
    std::vector<std::uint32_t> meeting_;  // by warp: all its lanes know each other up to here
    std::vector<std::uint32_t> known_;    // of warp a, by warp b: all lanes of a know all of b up to here
    // Of threads that know more than their warp does: by thread of the block. Empty for the others.
    std::vector<std::vector<std::uint32_t>> rows_;
    bool any_row_ = false;
    std::vector<std::uint32_t> fences_;  // by thread: the time of its last fence, 0: none
    std::vector<bool> wide_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> flags_;
    std::unordered_set<std::uint64_t> read_flags_;  // flag and thread
};

}  // namespace ws::simt
