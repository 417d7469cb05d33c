#pragma once
// Work beside the thread that draws frames.

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

namespace ws {

// Lets the calling thread, and those that it starts, give way to others: for work that nobody waits for in a
// frame.
void give_way();
enum class Priority { normal, gives_way };

// How many processors the calling thread may run on: where it was given some of the machine's, only these.
[[nodiscard]] int processors() noexcept;

// Processor time that the calling thread has had until now, in seconds: a thread that others do not let run
// has none. Where the system does not tell it, the time that goes by.
[[nodiscard]] double processor_seconds() noexcept;

// Sleeps. False as soon as `stop` is requested.
[[nodiscard]] bool sleep_unless_stopped(const std::stop_token& stop, std::chrono::milliseconds duration);

// Inside a handler: the message of what was thrown, whatever it is. A worker thread catches with `...` and
// hands this on, because an exception that leaves it ends the program.
[[nodiscard]] std::string caught_message() noexcept;

// Calls work(0) on this thread and work(1) to work(threads - 1) on threads of their own, and returns when all
// have ended. Where the system gives fewer threads, the others do all the work: `work` must take its tasks
// from a common counter. Rethrows the first exception once all have ended.
void run_on_threads(int threads, const std::function<void(int thread)>& work);

// The same for work that waits for each other: every call has a thread of its own, and none begins before all
// threads are there. Throws, without a call, where the system gives fewer.
void run_side_by_side(int threads, const std::function<void(int thread)>& work);

}  // namespace ws
