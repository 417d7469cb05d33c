#include "gpu/compile/compile_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ws {

CompileService::CompileService(std::filesystem::path cache_folder, int threads, std::size_t most_kept)
    : cache_(std::move(cache_folder)), most_kept_(most_kept) {
    Result<std::shared_ptr<Nvrtc>> opened = Nvrtc::open();
    if (!opened.ok()) {
        why_ = opened.message();
        return;
    }
    nvrtc_ = std::move(opened.value());
    // One thread alone compiles ahead, so that a needed kernel always finds the other one free.
    queue_.emplace(threads, Unwanted::finishes, Priority::normal);
}

std::string CompileService::key_of(const CompileRequest& request) const {
    // Reports of another reader of the log are other results.
    std::string key = nvrtc_->name() + ", report by entry\n" + request.name + " " + request.entry + "\n";
    for (const std::string& option : nvrtc_->options(request)) key += option + " ";
    for (const KernelHeader& header : request.headers)
        key += "\n" + header.name + fmt::format(" {}\n", header.text.size()) + header.text;
    return key + "\n" + request.text;
}

// What has been compiled since. The lock is held, so that nothing is out of the queue and not yet on the
// table.
void CompileService::collect() const {
    for (auto& [key, result] : queue_->poll()) {
        outcomes_[key] = {result.ok() ? CompileOutcome{std::move(result.value()), {}}
                                      : CompileOutcome{nullptr, result.message()},
                          ++now_};
        ++finished_;
    }
    while (outcomes_.size() > most_kept_) {
        outcomes_.erase(
            std::ranges::min_element(outcomes_, {}, [](const auto& entry) { return entry.second.used; }));
    }
}

std::optional<CompileOutcome> CompileService::find(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    collect();
    const auto found = outcomes_.find(key);
    if (found == outcomes_.end()) return std::nullopt;
    found->second.used = ++now_;
    return found->second.outcome;
}

std::optional<CompileOutcome> CompileService::find(const CompileRequest& request) const {
    if (!nvrtc_) return CompileOutcome{nullptr, why_};
    return find(key_of(request));
}

CompileService::Queue::Entry CompileService::job_of(std::string key, CompileRequest request,
                                                    bool ahead) const {
    auto work = [this, key, request = std::move(request)](const std::stop_token&) {
        return compile(key, request);
    };
    return {std::move(key), std::move(work), ahead};
}

void CompileService::ask(std::vector<CompileRequest> needed, std::vector<CompileRequest> likely) {
    if (!nvrtc_) return;
    std::vector<Queue::Entry> jobs;
    const std::lock_guard lock(mutex_);  // what ends from here on lies ready in the queue, which knows it
    collect();
    const auto add = [&](std::vector<CompileRequest>& requests, bool ahead) {
        for (CompileRequest& request : requests) {
            std::string key = key_of(request);
            if (outcomes_.count(key) == 0) jobs.push_back(job_of(std::move(key), std::move(request), ahead));
        }
    };
    add(needed, false);
    add(likely, true);
    queue_->ask(std::move(jobs));
}

CompileOutcome CompileService::wait_for(const CompileRequest& request) {
    if (!nvrtc_) return {nullptr, why_};
    const std::string key = key_of(request);
    while (true) {
        if (std::optional<CompileOutcome> outcome = find(key)) return std::move(*outcome);
        queue_->do_first(job_of(key, request, false));
    }
}

int CompileService::pending() const {
    return queue_ ? queue_->pending() : 0;
}

bool CompileService::idle() const {
    return !queue_ || queue_->idle();
}

std::uint64_t CompileService::finished() const {
    if (!queue_) return 0;
    const std::lock_guard lock(mutex_);
    collect();
    return finished_;
}

CompileService::Kernel CompileService::compile(const std::string& key, const CompileRequest& request) const {
    if (std::optional<CompiledKernel> cached = cache_.load(key))
        return std::make_shared<const CompiledKernel>(std::move(*cached));
    Result<CompiledKernel> compiled = nvrtc_->compile(request);
    if (!compiled.ok()) throw Error(compiled.message());
    cache_.store(key, compiled.value());
    return std::make_shared<const CompiledKernel>(std::move(compiled.value()));
}

}  // namespace ws
