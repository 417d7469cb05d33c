#pragma once
// The warps of a kernel as one multiprocessor gets them, executed on the simulated GPU and followed in the
// machine code: what the clock runs.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/analysis/machine_path.h"
#include "gpu/analysis/warp_clock.h"
#include "gpu/core/clocked_kernel.h"
#include "gpu/core/clocked_launch.h"
#include "gpu/core/counters.h"
#include "gpu/core/estimate.h"
#include "gpu/core/occupancy.h"
#include "gpu/engine/launch_atomics.h"
#include "gpu/engine/launch_stager.h"

namespace ws {

struct ClockJob {
    ClockKey key;
    Launch launch;  // its kernel is machine code
    Problem problem;
    // What counting the kernel gave.
    std::shared_ptr<const KernelCounters> counters;
    double device_bytes = 0;  // of the estimate
    // The PTX that was counted: the same machine code's, or another one's. Null: not known.
    std::shared_ptr<const CompiledKernel> ptx{};
};

// The launch, whose kernel is PTX, over memory of its own.
using StagePtx = std::function<StagedLaunch(const Launch& launch)>;
// In the stager's memory.
[[nodiscard]] StagePtx staged_by(LaunchStager& stager, const ClockJob& job);

class TracedKernel {
  public:
    // Traces some rounds of the blocks that a multiprocessor holds, of the middle of the grid, or from all
    // over it where those of the middle do other things than the rest; where they are long, one, or the first
    // part of one; of short ones some more, for where they store. Throws Error for what has no machine code
    // that is read or that the simulated GPU does not take. Null where `cancel` was set meanwhile.
    [[nodiscard]] static std::unique_ptr<const TracedKernel> make(const ClockJob& job, const StagePtx& stage,
                                                                  const std::atomic<bool>& cancel);

    // Whether it is, with whatever number of blocks.
    [[nodiscard]] bool is_of(const ClockKey& key) const {
        return key_ == ClockKey{key.counts, key.bytes_between, key_.blocks};
    }
    // With so many of its blocks resident; 0: as many as fit.
    [[nodiscard]] ClockedKernel run(int blocks, const GpuProfile& gpu) const;
    // A whole launch among others of its stream: the traced blocks' clocks, and for all further blocks of a
    // multiprocessor as long as one takes on average.
    [[nodiscard]] ClockedLaunch launch(const GpuProfile& gpu) const;
    // What a profiler that samples it would see at the lines, in parts of samples (span_log.h): for tests,
    // which compare it with what one saw.
    [[nodiscard]] std::vector<StateClocks> sampled_lines(const GpuProfile& gpu) const;

  private:
    TracedKernel() = default;
    // What was traced in, and how.
    struct Tracing {
        StagedLaunch staged;
        simt::LaunchOptions options;
        double steps = 0;  // warp instructions of a block's PTX
    };
    bool trace(Tracing& tracing, const ClockJob& job, const std::function<StagedLaunch()>& again);
    bool trace_blocks(Tracing& tracing);
    bool look_at_trace(Tracing tracing, const ClockJob& job);
    static std::optional<KernelTrace> trace_beside(Tracing& tracing, std::vector<std::uint64_t> blocks,
                                                   std::int64_t most_instructions);
    bool note_stored(Tracing& tracing);
    void fill_load(const ClockJob& job);
    bool note_misses(Tracing& tracing, const ClockJob& job);
    bool note_line_parts(Tracing& tracing);
    bool note_shared_loads(Tracing& tracing, const L2Misses& misses);
    void place_warps();
    [[nodiscard]] ClockLoad load_of(int blocks, const GpuProfile& gpu, const ClockRates& rates) const;
    // What the clock ran: blocks for one of the launch, each a part of it; and how many of those that ran
    // have, on average, as much to do as one of the launch.
    struct Ran {
        double parts = 1, work = 1;
    };
    struct LaunchLoad {
        ClockLoad load;
        Ran of;
    };
    [[nodiscard]] LaunchLoad load_of_launch(const GpuProfile& gpu, const ClockRates& rates) const;
    [[nodiscard]] bool runs_few_of_many_rounds(const GpuProfile& gpu) const;
    [[nodiscard]] bool others_follow(const ClockRun& run, Ran of, const GpuProfile& gpu) const;
    [[nodiscard]] double all_clocks(const ClockRun& run, Ran of, const GpuProfile& gpu) const;
    [[nodiscard]] LaunchAtomics atomics() const;
    [[nodiscard]] std::vector<StateClocks> at_lines(const ClockRun& run, Ran of, const GpuProfile& gpu) const;

    ClockKey key_;              // of no number of blocks
    std::uint64_t blocks_ = 0;  // of the launch
    std::size_t traced_blocks_ = 0;
    double whole_over_traced_ = 1;  // what the traced blocks execute
    double ways_over_run_ = 1;      // the part of the ways that the clock runs
    double work_of_a_block_ = 1;    // of its average block, over that of a traced one
    MachineCode code_;
    KernelTrace trace_;
    NeverWhole never_whole_;
    double least_moved_ = 0;  // bytes between the second level and device memory: each sector once
    std::vector<std::shared_ptr<const MachinePath>> paths_;  // of the trace's warps
    ClockLoad load_;
    Occupancy occupancy_;
};

}  // namespace ws
