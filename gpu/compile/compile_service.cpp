#include "gpu/compile/compile_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ws {
namespace {

CompileOutcome outcome_of(CompiledKernel kernel) {
    return {std::make_shared<const CompiledKernel>(std::move(kernel)), {}};
}

}  // namespace

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

// What makes what is asked for: of PTX beside machine code that of the machine code.
CompileService::Compilation CompileService::compilation_of(const CompileRequest& request) const {
    Compilation made{request, {}};
    if (request.with_code) made.request.to_ptx = false;
    made.key = key_of(made.request);
    return made;
}

// What has been compiled since. The lock is held, so that nothing is out of the queue and not yet on the
// table.
void CompileService::collect() const {
    for (auto& [key, result] : queue_->poll()) {
        outcomes_[key] = {result.ok() ? std::move(result.value())
                                      : Made{{nullptr, result.message()}, {nullptr, result.message()}},
                          ++now_};
        ++finished_;
    }
    while (outcomes_.size() > most_kept_) {
        outcomes_.erase(
            std::ranges::min_element(outcomes_, {}, [](const auto& entry) { return entry.second.used; }));
    }
}

std::optional<CompileOutcome> CompileService::find(const CompileRequest& request) const {
    if (!nvrtc_) return CompileOutcome{nullptr, why_};
    const std::string key = compilation_of(request).key;
    const std::lock_guard lock(mutex_);
    collect();
    const auto found = outcomes_.find(key);
    if (found == outcomes_.end()) return std::nullopt;
    found->second.used = ++now_;
    const Made& made = found->second.made;
    return request.to_ptx && request.with_code ? made.ptx : made.kernel;
}

CompileService::Queue::Entry CompileService::job_of(Compilation one, bool ahead) const {
    std::string key = one.key;
    auto work = [this, one = std::move(one)](const std::stop_token&) {
        return one.request.to_ptx ? Made{compile_ptx(one), {}} : compile_both(one);
    };
    return {std::move(key), std::move(work), ahead};
}

void CompileService::ask(const std::vector<CompileRequest>& needed,
                         const std::vector<CompileRequest>& likely) {
    if (!nvrtc_) return;
    std::vector<Queue::Entry> jobs;
    const std::lock_guard lock(mutex_);  // what ends from here on lies ready in the queue, which knows it
    collect();
    const auto add = [&](const std::vector<CompileRequest>& requests, bool ahead) {
        for (const CompileRequest& request : requests) {
            Compilation one = compilation_of(request);
            if (outcomes_.count(one.key) == 0) jobs.push_back(job_of(std::move(one), ahead));
        }
    };
    add(needed, false);
    add(likely, true);
    queue_->ask(std::move(jobs));
}

CompileOutcome CompileService::wait_for(const CompileRequest& request) {
    if (!nvrtc_) return {nullptr, why_};
    while (true) {
        if (std::optional<CompileOutcome> outcome = find(request)) return std::move(*outcome);
        queue_->do_first(job_of(compilation_of(request), false));
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

CompileOutcome CompileService::compile_ptx(const Compilation& one) const {
    std::optional<CompiledKernel> kernel = cache_.load(one.key);
    if (!kernel) {
        Result<CompiledKernel> compiled = nvrtc_->compile(one.request);
        if (!compiled.ok()) return {nullptr, compiled.message()};
        kernel = std::move(compiled.value());
        cache_.store(one.key, *kernel);
    }
    return outcome_of(std::move(*kernel));
}

// Each is kept under its own key, for whoever asks for PTX alone. PTX is made also where nobody has asked for
// it yet: who does may find this outcome and wait for no other.
CompileService::Made CompileService::compile_both(const Compilation& one) const {
    Compilation of_ptx = one;
    of_ptx.request.to_ptx = true;
    of_ptx.key = key_of(of_ptx.request);
    Made made;
    if (std::optional<CompiledKernel> code = cache_.load(one.key)) {
        made.kernel = outcome_of(std::move(*code));
        made.ptx = compile_ptx(of_ptx);
        return made;
    }
    Result<CodeAndPtx> compiled = nvrtc_->compile_both(one.request);
    if (!compiled.ok()) {
        made.kernel.error = made.ptx.error = compiled.message();
        // What the assembler refuses is PTX all the same.
        if (compiled.message().find("ptxas") != std::string::npos) made.ptx = compile_ptx(of_ptx);
        return made;
    }
    CodeAndPtx& both = compiled.value();
    cache_.store(one.key, both.code);
    made.kernel = outcome_of(std::move(both.code));
    if (both.ptx.ok()) {
        cache_.store(of_ptx.key, both.ptx.value());
        made.ptx = outcome_of(std::move(both.ptx.value()));
    } else {
        made.ptx = compile_ptx(of_ptx);
    }
    return made;
}

}  // namespace ws
