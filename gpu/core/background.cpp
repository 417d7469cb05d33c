#include "gpu/core/background.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#endif

namespace ws {

void give_way() {
#ifdef __linux__
    constexpr int kNice = 10;
    // On Linux a thread has a priority of its own; where it cannot be lowered, nothing is lost.
    (void)setpriority(PRIO_PROCESS, id_t(syscall(SYS_gettid)), kNice);
#endif
}

int processors() noexcept {
#ifdef __linux__
    cpu_set_t may_run_on;
    if (sched_getaffinity(0, sizeof may_run_on, &may_run_on) == 0) return CPU_COUNT(&may_run_on);
#endif
    return int(std::max(1U, std::thread::hardware_concurrency()));  // 0: not known
}

double processor_seconds() noexcept {
#ifdef __linux__
    timespec had{};
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &had) == 0)
        return double(had.tv_sec) + double(had.tv_nsec) * 1e-9;
#endif
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool sleep_unless_stopped(const std::stop_token& stop, std::chrono::milliseconds duration) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    return !never.wait_for(lock, stop, duration, [&] { return stop.stop_requested(); });
}

namespace {

// Short texts need no memory of their own, which may be what is missing.
std::string text_of(const std::exception& error) noexcept {
    try {
        return error.what();
    } catch (...) {
        return "out of memory";
    }
}

}  // namespace

std::string caught_message() noexcept {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return "out of memory";
    } catch (const std::system_error& error) {
        const bool no_thread = error.code() == std::errc::resource_unavailable_try_again;
        return no_thread ? "no further thread" : text_of(error);
    } catch (const std::exception& error) {
        return text_of(error);
    } catch (...) {
        return "unknown error";
    }
}

namespace {

// Of several threads that work: what the first one threw that failed.
class FirstFailure {
  public:
    void guard(const std::function<void(int)>& work, int thread) noexcept {
        try {
            work(thread);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!first_) first_ = std::current_exception();
        }
    }
    // Once all have ended.
    void rethrow() const {
        if (first_) std::rethrow_exception(first_);
    }

  private:
    std::mutex mutex_;
    std::exception_ptr first_;
};

}  // namespace

void run_on_threads(int threads, const std::function<void(int)>& work) {
    FirstFailure failure;
    {
        std::vector<std::jthread> helpers;
        try {
            helpers.reserve(threads > 1 ? static_cast<std::size_t>(threads) - 1 : 0);
            for (int i = 1; i < threads; ++i) helpers.emplace_back([&, i] { failure.guard(work, i); });
        } catch (const std::exception&) {
            // No more threads: those that there are do the work.
        }
        failure.guard(work, 0);
    }
    failure.rethrow();
}

void run_side_by_side(int threads, const std::function<void(int)>& work) {
    enum Start : int { not_yet, go, never };
    std::atomic<int> start{not_yet};
    const auto say = [&](Start what) {
        start = what;
        start.notify_all();
    };
    FirstFailure failure;
    {
        std::vector<std::jthread> helpers;
        try {
            helpers.reserve(threads > 1 ? static_cast<std::size_t>(threads) - 1 : 0);
            for (int i = 1; i < threads; ++i)
                helpers.emplace_back([&, i] {
                    start.wait(not_yet);
                    if (start == go) failure.guard(work, i);
                });
        } catch (...) {
            say(never);
            throw;
        }
        say(go);
        failure.guard(work, 0);
    }
    failure.rethrow();
}

}  // namespace ws
