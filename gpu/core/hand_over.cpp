#include "gpu/core/hand_over.h"

#include <chrono>
#include <thread>

namespace ws {

void HandOver::say(State state) {
    state_ = state;
    state_.notify_all();
}

// To wake a thread that sleeps takes longer than most of what is waited for: it looks out for some time
// first.
bool HandOver::taken() const {
    constexpr std::chrono::milliseconds kLooksOut{2};
    const auto until = std::chrono::steady_clock::now() + kLooksOut;
    while (state_ == State::not_yet && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    state_.wait(State::not_yet);
    return state_ == State::given;
}

}  // namespace ws
