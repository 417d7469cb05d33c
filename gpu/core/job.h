#pragma once
// One piece of work beside the thread that draws frames: begun at once, its result polled or waited for.

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "gpu/core/background.h"
#include "gpu/core/error.h"

namespace ws {

// The result of work that has none.
struct Done {};

// Owns a thread that calls work(std::stop_token), and what comes of it: a T, or whatever was thrown. Where
// the system gives no thread, that is what was thrown. Destroying or replacing a job asks it to stop and
// waits.
template <typename T>
class Job {
  public:
    Job() = default;
    template <typename Work>
    explicit Job(Work work, Priority priority = Priority::normal) : state_(std::make_shared<State>()) {
        try {
            thread_ = std::jthread(
                [state = state_, work = std::move(work), priority](const std::stop_token& stop) mutable {
                    if (priority == Priority::gives_way) give_way();
                    try {
                        state->value.emplace(work(stop));
                    } catch (...) {
                        state->failure = std::current_exception();
                    }
                    state->ended = true;
                });
        } catch (...) {
            state_->failure = std::current_exception();
            state_->ended = true;
        }
    }

    // Its result is still to be taken.
    [[nodiscard]] bool active() const { return state_ != nullptr; }
    // The result, once it is there. Taking it leaves the job empty, here and below.
    [[nodiscard]] std::optional<Result<T>> poll() {
        if (!state_ || !state_->ended) return std::nullopt;
        return wait();
    }
    // Waits for the result of an active job.
    [[nodiscard]] Result<T> wait() {
        try {
            return get();
        } catch (...) {
            return Result<T>::failure(caught_message());
        }
    }
    // The same; throws what the work threw.
    [[nodiscard]] T get() {
        if (thread_.joinable()) thread_.join();
        const std::shared_ptr<State> state = std::exchange(state_, nullptr);
        if (state->failure) std::rethrow_exception(state->failure);
        return std::move(*state->value);
    }

  private:
    struct State {
        std::optional<T> value;
        std::exception_ptr failure;
        std::atomic<bool> ended{false};
    };
    std::shared_ptr<State> state_;  // shared with the thread, which may outlive a job that is moved
    std::jthread thread_;
};

}  // namespace ws
