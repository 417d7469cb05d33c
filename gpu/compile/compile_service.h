#pragma once
// Compiles kernels on worker threads, so that no frame ever waits for the compiler.

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gpu/compile/kernel_cache.h"
#include "gpu/compile/nvrtc.h"

namespace ws {

// A kernel, or the log that says why there is none.
struct CompileOutcome {
    std::shared_ptr<const CompiledKernel> kernel;
    std::string error;
};

class CompileService {
  public:
    explicit CompileService(std::filesystem::path cache_folder);
    ~CompileService();
    CompileService(const CompileService&) = delete;
    CompileService& operator=(const CompileService&) = delete;

    // Null if NVRTC is missing; why() then says so.
    [[nodiscard]] const Nvrtc* compiler() const { return nvrtc_.get(); }
    [[nodiscard]] const std::string& why() const { return why_; }

    // The outcome, if it is known already.
    [[nodiscard]] std::optional<CompileOutcome> find(const CompileRequest& request) const;
    // What is needed now, in order, and what may be needed soon. Both replace earlier requests; a
    // kernel that a worker has begun is finished all the same.
    void ask(std::vector<CompileRequest> needed, std::vector<CompileRequest> likely = {});
    // Compiles, or waits for the worker that does.
    [[nodiscard]] CompileOutcome wait_for(const CompileRequest& request);
    // Needed kernels that are not ready yet; those compiled ahead do not count.
    [[nodiscard]] int pending() const;
    // Nothing is compiled and nothing waits for it, ahead neither.
    [[nodiscard]] bool idle() const;
    // Counts outcomes; changes whenever a new one is there.
    [[nodiscard]] std::uint64_t finished() const;

  private:
    struct Job {
        std::string key;
        CompileRequest request;
    };
    [[nodiscard]] std::string key_of(const CompileRequest& request) const;
    [[nodiscard]] CompileOutcome compile(const std::string& key, const CompileRequest& request) const;
    void work(bool may_prefetch);

    std::shared_ptr<Nvrtc> nvrtc_;
    std::string why_;
    KernelCache cache_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable done_;
    std::deque<Job> needed_;
    std::deque<Job> likely_;
    std::vector<std::string> running_;  // keys that a worker is at
    int needed_running_ = 0;
    std::map<std::string, CompileOutcome> outcomes_;
    std::uint64_t finished_ = 0;
    bool stop_ = false;
    std::vector<std::thread> workers_;
};

}  // namespace ws
