#pragma once
// What one thread does and others wait for.

#include <atomic>

namespace ws {

class HandOver {
  public:
    // Not done yet; while no thread waits.
    void reset() { state_ = State::not_yet; }
    // It is done, with all that this thread has done before.
    void give() { say(State::given); }
    // It is not going to be done: those that wait go on.
    void abandon() { say(State::abandoned); }
    // Waits. False: it is not going to be done.
    [[nodiscard]] bool taken() const;

  private:
    enum class State { not_yet, given, abandoned };
    void say(State state);
    std::atomic<State> state_ = State::not_yet;
};

}  // namespace ws
