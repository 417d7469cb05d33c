#pragma once
// The slice of the second level that most atomics of a launch go to, as one multiprocessor meets it: each of
// its requests stands for those of all others as well. These are not in step with it: what it leaves unused
// they use, and give it back later. Times are in clocks.

#include <algorithm>

namespace ws {

class HotSlice {
  public:
    // `round`: what the atomics of all blocks that may be resident take of it. Multiprocessors are out of
    // step by so much at most.
    explicit HotSlice(double round) : round_(round) {}

    // When an atomic that takes so long has its turn, if it comes now.
    double take(double now, double clocks) {
        if (endless) return now;
        if (!begun_) free_ = now;  // all multiprocessors begin together
        begun_ = true;
        use(now, clocks);
        return std::max(now, free_);
    }
    // What else passes through it: before the first atomic it meets nobody.
    void use(double now, double clocks) {
        if (begun_) free_ = std::max(free_, now - round_) + clocks;
    }
    // When it has done all that was asked of it.
    [[nodiscard]] double free() const { return free_; }

    bool endless = false;  // it takes all at once, and in no time

  private:
    double round_;
    double free_ = 0;
    bool begun_ = false;
};

}  // namespace ws
