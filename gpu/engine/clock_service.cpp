#include "gpu/engine/clock_service.h"

#include <atomic>

namespace ws {

void ClockService::ask(std::vector<ClockJob> jobs) {
    std::vector<JobQueue<ClockKey, Clocked>::Entry> entries;
    for (ClockJob& job : jobs) {
        const ClockKey key = job.key;
        auto work = [this, job = std::move(job)](const std::stop_token& stop) { return run(job, stop); };
        entries.push_back({key, std::move(work)});
    }
    queue_.ask(std::move(entries));
}

std::vector<std::pair<ClockKey, ClockOutcome>> ClockService::poll() {
    std::vector<std::pair<ClockKey, ClockOutcome>> ready;
    for (auto& [key, result] : queue_.poll()) {
        ClockOutcome outcome = result.ok() ? ClockOutcome{std::move(result.value()), {}}
                                           : ClockOutcome{nullptr, result.message()};
        ready.emplace_back(std::move(key), std::move(outcome));
    }
    return ready;
}

ClockService::Clocked ClockService::run(const ClockJob& job, const std::stop_token& stop) {
    if (!traced_ || !traced_->is_of(job.key)) {
        std::atomic<bool> cancel{false};
        const std::stop_callback on_stop(stop, [&] { cancel = true; });
        traced_ = TracedKernel::make(job, staged_by(stager_, job), cancel);
        if (!traced_) return nullptr;
    }
    return std::make_shared<const ClockedKernel>(traced_->run(job.key.blocks, job.key.counts.gpu));
}

}  // namespace ws
