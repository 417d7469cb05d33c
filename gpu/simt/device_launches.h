#pragma once
// Grids that kernels launch: asked for while a grid runs, and run once it has ended, each before what its
// block launched after it; those of a tail stream when all the others are done.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/simt/grid_runner.h"
#include "gpu/simt/launch.h"

namespace ws::simt {

// CUDA's numbers of the errors that kernels get here.
enum class LaunchError : std::int32_t {
    none = 0,
    invalid_value = 1,
    invalid_configuration = 9,
    too_deep = 65,
    too_many_pending = 69,
    no_kernel_image = 209,
    out_of_resources = 701,
    not_supported = 801,
};

// Of one launch of the host, with all that follows from it. One worker at a time.
class DeviceLaunches {
  public:
    static constexpr std::size_t kMostPending = 2048;  // as cudaLimitDevRuntimePendingLaunchCount by default
    static constexpr int kMostDepth = 24;              // of grids below the host's

    // `whole`: the host's launch runs all its blocks.
    DeviceLaunches(const GpuProfile& gpu, bool whole) : gpu_(gpu), whole_(whole) {}

    // ---- what kernels ask for

    // Keeps a launch whose parameters are to be written at `buffer`; `launch` is complete but for them.
    void prepare(std::uint64_t buffer, KernelLaunch launch) { prepared_[buffer] = std::move(launch); }
    // The launch that the buffer was given for, which it then is no longer; without a program if there is
    // none.
    [[nodiscard]] KernelLaunch take(std::uint64_t buffer);
    // Completes a launch of the kernel at this address of code. Throws RefusedLaunch for one that the GPU
    // would not take, Error for what is no kernel.
    void set_kernel(std::uint64_t address, KernelLaunch& launch);
    // From line `line`, to a stream.
    [[nodiscard]] LaunchError add(KernelLaunch launch, std::uint64_t stream, int line);
    // The latest error of a thread of the grid that runs.
    void set_error(std::uint64_t block, int thread, LaunchError error) { errors_[{block, thread}] = error; }
    [[nodiscard]] LaunchError error_of(std::uint64_t block, int thread, bool clears);
    // A handle that no other stream has.
    [[nodiscard]] std::uint64_t new_stream() { return ++streams_; }

    // Runs the grid of the context, and then what it launched.
    [[nodiscard]] LaunchOutcome run(const LaunchContext& context, LaunchMemory& memory);

  private:
    struct Asked {
        KernelLaunch launch;
        bool at_the_end = false;
        int line = 0;
    };
    static constexpr std::uint64_t kTail = 3, kFirstStream = 0x100;  // 4 is the fire-and-forget stream

    void run_asked(const LaunchContext& context, LaunchMemory& memory, std::vector<Asked> asked,
                   LaunchOutcome& outcome);

    const GpuProfile& gpu_;
    bool whole_;
    const KernelLaunch* runs_ = nullptr;
    int depth_ = 0;
    std::map<std::uint64_t, KernelLaunch> prepared_;  // by parameter buffer
    std::vector<Asked> asked_;                        // by the grid that runs
    std::size_t pending_ = 0;                         // by it and by those above it
    std::map<std::pair<std::uint64_t, int>, LaunchError> errors_;
    std::map<std::uint64_t, std::shared_ptr<const Program>> kernels_;  // by address of code
    std::uint64_t streams_ = kFirstStream;
};

}  // namespace ws::simt
