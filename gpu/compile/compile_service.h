#pragma once
// Compiles kernels on worker threads, so that no frame ever waits for the compiler.

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gpu/compile/kernel_cache.h"
#include "gpu/compile/nvrtc.h"
#include "gpu/core/job_queue.h"

namespace ws {

// A kernel, or the log that says why there is none.
struct CompileOutcome {
    std::shared_ptr<const CompiledKernel> kernel;
    std::string error;
};

class CompileService {
  public:
    // Far more outcomes than are looked at together.
    static constexpr std::size_t kMostKept = 600;

    // Beyond `most_kept` outcomes in memory, the one that was not asked for longest goes; it comes again out
    // of the cache.
    explicit CompileService(std::filesystem::path cache_folder, int threads = 2,
                            std::size_t most_kept = kMostKept);

    // Null if NVRTC is missing; why() then says so.
    [[nodiscard]] const Nvrtc* compiler() const { return nvrtc_.get(); }
    [[nodiscard]] const std::string& why() const { return why_; }

    // The outcome, if it is known already.
    [[nodiscard]] std::optional<CompileOutcome> find(const CompileRequest& request) const;
    // What is needed now, in order, and what may be needed soon. Both replace earlier requests; a
    // kernel that a worker has begun is finished all the same.
    void ask(const std::vector<CompileRequest>& needed, const std::vector<CompileRequest>& likely = {});
    // Compiles, or waits for the worker that does.
    [[nodiscard]] CompileOutcome wait_for(const CompileRequest& request);
    // Needed kernels that are not ready yet; those compiled ahead do not count.
    [[nodiscard]] int pending() const;
    // Nothing is compiled and nothing waits for it, ahead neither.
    [[nodiscard]] bool idle() const;
    // Counts outcomes; changes whenever a new one is there.
    [[nodiscard]] std::uint64_t finished() const;

  private:
    // One pass of the compiler, and what it makes.
    struct Compilation {
        CompileRequest request;
        std::string key;
    };
    struct Made {
        CompileOutcome kernel;
        CompileOutcome ptx;  // beside machine code, also where the assembler refuses that
    };
    using Queue = JobQueue<std::string, Made>;
    [[nodiscard]] std::string key_of(const CompileRequest& request) const;
    [[nodiscard]] Compilation compilation_of(const CompileRequest& request) const;
    [[nodiscard]] CompileOutcome compile_ptx(const Compilation& one) const;
    [[nodiscard]] Made compile_both(const Compilation& one) const;
    [[nodiscard]] Queue::Entry job_of(Compilation one, bool ahead) const;
    void collect() const;

    std::shared_ptr<Nvrtc> nvrtc_;
    std::string why_;
    KernelCache cache_;
    mutable std::mutex mutex_;
    struct Kept {
        Made made;
        std::uint64_t used = 0;  // when it was last asked for
    };
    std::size_t most_kept_;
    mutable std::map<std::string, Kept> outcomes_;  // those that were collected from the queue
    mutable std::uint64_t finished_ = 0;
    mutable std::uint64_t now_ = 0;       // counts what is asked for
    mutable std::optional<Queue> queue_;  // none without a compiler
};

}  // namespace ws
