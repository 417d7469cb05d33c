#include "gpu/core/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "gpu/core/background.h"

namespace ws {
namespace {

// Waits for `done` without sleeping, but not for long.
template <typename Done>
void look_out(const Done& done) {
    constexpr std::chrono::microseconds kPatience(50);
    const auto start = std::chrono::steady_clock::now();
    while (!done() && std::chrono::steady_clock::now() - start < kPatience) std::this_thread::yield();
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
    if (threads <= 0) threads = processors();
    try {
        for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
        // No more threads: those that there are, and the caller's, do the work.
    }
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    start_.notify_all();
    workers_.clear();
}

void ThreadPool::for_slices(int count, const std::function<void(int, int)>& slice) {
    constexpr int kSlicesPerThread = 2;
    constexpr int kLeastRows = 32;  // neighbouring slices compute a few rows twice
    {
        const std::lock_guard lock(mutex_);
        slice_ = &slice;
        count_ = count;
        step_ =
            std::max(kLeastRows, (count + threads() * kSlicesPerThread - 1) / (threads() * kSlicesPerThread));
        next_ = 0;
        ++round_;
    }
    start_.notify_all();
    take_slices();
    look_out([this] { return busy_ == 0; });
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [this] { return busy_ == 0; });
    slice_ = nullptr;
    if (const std::exception_ptr failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

// Takes slices until none is left.
void ThreadPool::take_slices() {
    std::unique_lock lock(mutex_);
    while (slice_ && next_ < count_) {
        const int first = next_;
        const int last = std::min(count_, first + step_);
        next_ = last;
        ++busy_;
        const auto* slice = slice_;
        lock.unlock();
        std::exception_ptr failure;
        try {
            (*slice)(first, last);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        if (failure) {
            if (!failure_) failure_ = failure;
            next_ = count_;  // what is left need not be done
        }
        if (--busy_ == 0) finished_.notify_all();
    }
}

void ThreadPool::work() {
    unsigned long seen = 0;
    while (true) {
        look_out([&] { return stop_ || round_ != seen; });
        {
            std::unique_lock lock(mutex_);
            start_.wait(lock, [&] { return stop_ || round_ != seen; });
            if (stop_) return;
            seen = round_;
        }
        take_slices();
    }
}

}  // namespace ws
