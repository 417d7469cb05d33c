#pragma once
// Threads that wait for slices of a picture. A thread that has just worked looks out for more for some
// microseconds before it sleeps: waking it up would take longer than a small picture does.

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ws {

class ThreadPool {
  public:
    explicit ThreadPool(int threads = 0);  // 0: one for each processor
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] int threads() const { return int(workers_.size()) + 1; }
    // Calls slice(first, last) for slices that cover 0 to count, on all threads and this one; returns when
    // all are done. One call at a time. Rethrows the first exception of a slice, once all are done.
    void for_slices(int count, const std::function<void(int first, int last)>& slice);

  private:
    void take_slices();
    void work();

    std::mutex mutex_;
    std::condition_variable start_;
    std::condition_variable finished_;
    const std::function<void(int, int)>* slice_ = nullptr;
    int count_ = 0;
    int step_ = 1;
    int next_ = 0;
    std::exception_ptr failure_;
    std::atomic<int> busy_ = 0;
    std::atomic<unsigned long> round_ = 0;
    std::atomic<bool> stop_ = false;
    std::vector<std::jthread> workers_;
};

}  // namespace ws
