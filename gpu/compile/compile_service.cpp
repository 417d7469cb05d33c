#include "gpu/compile/compile_service.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/core/background.h"

namespace ws {

CompileService::CompileService(std::filesystem::path cache_folder) : cache_(std::move(cache_folder)) {
    Result<std::shared_ptr<Nvrtc>> opened = Nvrtc::open();
    if (!opened.ok()) {
        why_ = opened.message();
        return;
    }
    nvrtc_ = std::move(opened.value());
    constexpr int kWorkers = 2;
    // One worker alone compiles ahead, so that a needed kernel always finds the other one free.
    for (int i = 0; i < kWorkers; ++i) workers_.emplace_back([this, i] { work(i == 0); });
}

CompileService::~CompileService() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

std::string CompileService::key_of(const CompileRequest& request) const {
    // Reports of another reader of the log are other results.
    std::string key = nvrtc_->name() + ", report by entry\n" + request.name + " " + request.entry + "\n";
    for (const std::string& option : nvrtc_->options(request)) key += option + " ";
    for (const KernelHeader& header : request.headers)
        key += "\n" + header.name + fmt::format(" {}\n", header.text.size()) + header.text;
    return key + "\n" + request.text;
}

std::optional<CompileOutcome> CompileService::find(const CompileRequest& request) const {
    if (!nvrtc_) return CompileOutcome{nullptr, why_};
    const std::string key = key_of(request);
    const std::lock_guard lock(mutex_);
    const auto found = outcomes_.find(key);
    if (found == outcomes_.end()) return std::nullopt;
    return found->second;
}

void CompileService::ask(std::vector<CompileRequest> needed, std::vector<CompileRequest> likely) {
    if (!nvrtc_) return;
    std::deque<Job> needed_jobs;
    std::deque<Job> likely_jobs;
    for (CompileRequest& request : needed) needed_jobs.push_back({key_of(request), std::move(request)});
    for (CompileRequest& request : likely) likely_jobs.push_back({key_of(request), std::move(request)});
    {
        const std::lock_guard lock(mutex_);
        const auto known = [this](const Job& job) {
            return outcomes_.count(job.key) > 0 ||
                   std::find(running_.begin(), running_.end(), job.key) != running_.end();
        };
        std::erase_if(needed_jobs, known);
        std::erase_if(likely_jobs, known);
        needed_ = std::move(needed_jobs);
        likely_ = std::move(likely_jobs);
    }
    wake_.notify_all();
}

CompileOutcome CompileService::wait_for(const CompileRequest& request) {
    if (!nvrtc_) return {nullptr, why_};
    const std::string key = key_of(request);
    std::unique_lock lock(mutex_);
    if (outcomes_.count(key) == 0 && std::find(running_.begin(), running_.end(), key) == running_.end()) {
        std::erase_if(needed_, [&](const Job& job) { return job.key == key; });
        needed_.push_front({key, request});
        wake_.notify_one();
    }
    done_.wait(lock, [&] { return outcomes_.count(key) > 0; });
    return outcomes_.at(key);
}

int CompileService::pending() const {
    const std::lock_guard lock(mutex_);
    return int(needed_.size()) + needed_running_;
}

bool CompileService::idle() const {
    const std::lock_guard lock(mutex_);
    return needed_.empty() && likely_.empty() && running_.empty();
}

std::uint64_t CompileService::finished() const {
    const std::lock_guard lock(mutex_);
    return finished_;
}

CompileOutcome CompileService::compile(const std::string& key, const CompileRequest& request) const {
    if (std::optional<CompiledKernel> cached = cache_.load(key)) {
        return {std::make_shared<const CompiledKernel>(std::move(*cached)), {}};
    }
    Result<CompiledKernel> compiled = nvrtc_->compile(request);
    if (!compiled.ok()) return {nullptr, compiled.message()};
    cache_.store(key, compiled.value());
    return {std::make_shared<const CompiledKernel>(std::move(compiled.value())), {}};
}

void CompileService::work(bool may_prefetch) {
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [&] { return stop_ || !needed_.empty() || (may_prefetch && !likely_.empty()); });
        if (stop_) return;
        const bool needed = !needed_.empty();
        std::deque<Job>& queue = needed ? needed_ : likely_;
        const Job job = std::move(queue.front());
        queue.pop_front();
        if (outcomes_.count(job.key) > 0 ||
            std::find(running_.begin(), running_.end(), job.key) != running_.end()) {
            continue;
        }
        running_.push_back(job.key);
        needed_running_ += needed ? 1 : 0;
        lock.unlock();
        CompileOutcome outcome;
        try {
            outcome = compile(job.key, job.request);
        } catch (...) {
            outcome.error = caught_message();
        }
        lock.lock();
        std::erase(running_, job.key);
        needed_running_ -= needed ? 1 : 0;
        outcomes_[job.key] = std::move(outcome);
        ++finished_;
        done_.notify_all();
    }
}

}  // namespace ws
