#pragma once
// Jobs that wait for a few threads, each under the key of its result. Who asks anew replaces what waits.

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/core/background.h"
#include "gpu/core/error.h"

namespace ws {

// What becomes of a running job that is not asked for any more: it finishes, or it is asked to stop and its
// result is dropped.
enum class Unwanted { finishes, stops };

// Key has ==. Jobs are called without any lock; what they throw is the failure of their result.
template <typename Key, typename T>
class JobQueue {
  public:
    struct Entry {
        Key key;
        std::function<T(const std::stop_token&)> work;
        bool ahead = false;  // nobody waits for it: after all others, and on the first thread alone
    };
    using Outcome = std::pair<Key, Result<T>>;

    // Throws std::system_error where the system gives no thread.
    JobQueue(int threads, Unwanted unwanted, Priority priority) : unwanted_(unwanted) {
        for (int i = 0; i < threads; ++i) {
            threads_.emplace_back([this, i, priority](const std::stop_token& stop) {
                if (priority == Priority::gives_way) give_way();
                work(stop, i == 0);
            });
        }
    }
    // Asks what runs to stop and waits until it has ended.
    ~JobQueue() {
        for (std::jthread& thread : threads_) thread.request_stop();
        const std::lock_guard lock(mutex_);
        for (Running& running : running_) running.stop.request_stop();
    }
    JobQueue(const JobQueue&) = delete;
    JobQueue& operator=(const JobQueue&) = delete;

    // What is to be done, in this order. Replaces what waits; what runs or lies ready is not begun anew.
    void ask(std::vector<Entry> jobs) {
        {
            const std::lock_guard lock(mutex_);
            if (unwanted_ == Unwanted::stops) stop_all_but(jobs);
            waiting_.clear();
            for (Entry& job : jobs) {
                if (!job.ahead) add(std::move(job));
            }
            for (Entry& job : jobs) {
                if (job.ahead) add(std::move(job));
            }
        }
        wake_.notify_all();
    }

    // Does a job before all others and waits until it has ended. Without a result if another thread's ask()
    // has dropped it meanwhile.
    void do_first(Entry job) {
        std::unique_lock lock(mutex_);
        const auto same = [key = job.key](const auto& other) { return other.key == key; };
        waiting_.remove_if(same);
        if (!is_under_way(job)) waiting_.push_front(std::move(job));
        wake_.notify_all();
        ended_.wait(lock, [&] {
            return std::none_of(running_.begin(), running_.end(), same) &&
                   std::none_of(waiting_.begin(), waiting_.end(), same);
        });
    }

    // What has ended since the last call.
    [[nodiscard]] std::vector<Outcome> poll() {
        const std::lock_guard lock(mutex_);
        return std::exchange(ready_, {});
    }
    // Until nothing waits and nothing runs.
    void wait() {
        std::unique_lock lock(mutex_);
        ended_.wait(lock, [this] { return waiting_.empty() && running_.empty(); });
    }
    // Jobs that wait or run, without those that are ahead.
    [[nodiscard]] int pending() const {
        const std::lock_guard lock(mutex_);
        const auto wanted = [](const auto& job) { return !job.ahead; };
        return int(std::count_if(waiting_.begin(), waiting_.end(), wanted) +
                   std::count_if(running_.begin(), running_.end(), wanted));
    }
    // Nothing waits, nothing runs; results may lie ready.
    [[nodiscard]] bool idle() const {
        const std::lock_guard lock(mutex_);
        return waiting_.empty() && running_.empty();
    }
    // A result is to come or lies ready.
    [[nodiscard]] bool active() const {
        const std::lock_guard lock(mutex_);
        return !waiting_.empty() || !running_.empty() || !ready_.empty();
    }

  private:
    struct Running {
        Key key;
        bool ahead = false;
        std::stop_source stop;
    };

    // Of the next functions all are called under the lock.
    void stop_all_but(const std::vector<Entry>& jobs) {
        for (Running& running : running_) {
            const auto same = [&](const Entry& job) { return job.key == running.key; };
            if (std::none_of(jobs.begin(), jobs.end(), same)) running.stop.request_stop();
        }
    }
    // It runs, and not in vain, or lies ready.
    [[nodiscard]] bool is_under_way(const Entry& job) {
        const auto runs = [&](const Running& running) {
            return running.key == job.key && !running.stop.stop_requested();
        };
        const auto running = std::find_if(running_.begin(), running_.end(), runs);
        if (running != running_.end()) running->ahead = running->ahead && job.ahead;
        const auto is_result = [&](const Outcome& outcome) { return outcome.first == job.key; };
        return running != running_.end() || std::any_of(ready_.begin(), ready_.end(), is_result);
    }
    void add(Entry job) {
        const auto same = [&](const Entry& other) { return other.key == job.key; };
        if (is_under_way(job) || std::any_of(waiting_.begin(), waiting_.end(), same)) return;
        waiting_.push_back(std::move(job));
    }
    // There is something that this thread may begin.
    [[nodiscard]] bool has_work(bool takes_ahead) const {
        return !waiting_.empty() && (takes_ahead || !waiting_.front().ahead);
    }

    // Everything but the work itself is done under the lock.
    void work(const std::stop_token& quit, bool takes_ahead) {
        std::unique_lock lock(mutex_);
        while (true) {
            wake_.wait(lock, quit, [&] { return has_work(takes_ahead); });
            if (quit.stop_requested()) return;
            Entry job = std::move(waiting_.front());
            waiting_.pop_front();
            const auto running = running_.insert(running_.end(), {job.key, job.ahead, {}});
            const std::stop_token stop = running->stop.get_token();
            lock.unlock();
            Result<T> result = outcome_of(job, stop);
            job.work = nullptr;  // what it holds goes before anybody hears that it has ended
            lock.lock();
            const bool dropped = stop.stop_requested();
            running_.erase(running);
            if (!dropped) ready_.emplace_back(std::move(job.key), std::move(result));
            ended_.notify_all();
        }
    }

    [[nodiscard]] static Result<T> outcome_of(const Entry& job, const std::stop_token& stop) {
        try {
            return job.work(stop);
        } catch (...) {
            return Result<T>::failure(caught_message());
        }
    }

    const Unwanted unwanted_;
    mutable std::mutex mutex_;
    std::condition_variable_any wake_;
    std::condition_variable ended_;
    std::list<Entry> waiting_;  // those that are ahead last
    std::list<Running> running_;
    std::vector<Outcome> ready_;
    std::vector<std::jthread> threads_;
};

}  // namespace ws
