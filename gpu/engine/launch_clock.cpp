#include "gpu/engine/launch_clock.h"

#include <atomic>

namespace ws {

void LaunchClock::Queue::ask(std::vector<ClockJob> asked) {
    std::vector<JobQueue<ClockKey, Clocked>::Entry> entries;
    for (ClockJob& job : asked) {
        const ClockKey key = job.key;
        auto work = [this, job = std::move(job)](const std::stop_token& stop) -> Clocked {
            std::atomic<bool> cancel{false};
            const std::stop_callback on_stop(stop, [&] { cancel = true; });
            const StagerPool::Lent stager(stagers);
            const auto traced = TracedKernel::make(job, staged_by(*stager, job), cancel);
            if (!traced) return nullptr;
            return std::make_shared<const ClockedLaunch>(traced->launch(job.key.counts.gpu));
        };
        entries.push_back({key, std::move(work)});
    }
    jobs.ask(std::move(entries));
}

void LaunchClock::ask(std::vector<ClockJob> wanted, std::vector<ClockJob> others) {
    wanted_.ask(std::move(wanted));
    others_.ask(std::move(others));
}

bool LaunchClock::take() {
    bool any = false;
    for (Queue* queue : {&wanted_, &others_}) {
        for (auto& [key, result] : queue->jobs.poll()) {
            any = true;
            board_.put(std::move(key), result.ok() ? ClockedOutcome{std::move(result.value()), {}}
                                                   : ClockedOutcome{nullptr, result.message()});
        }
    }
    return any;
}

}  // namespace ws
