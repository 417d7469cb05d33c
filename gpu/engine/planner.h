#pragma once
// From work to the kernels that it asks for, the keys of their results and the launches. Pure: the same
// values give the same plan, and nothing is compiled or run.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/clocked_kernel.h"
#include "gpu/core/device.h"
#include "gpu/core/kernel.h"
#include "gpu/core/message.h"
#include "gpu/core/result_key.h"
#include "gpu/core/work.h"
#include "gpu/engine/targets.h"

namespace ws {

using KernelLookup = std::function<const KernelSource&(std::string_view name)>;

// A step's kernel with all its constants: BLOCK_X and BLOCK_Y are among the knobs.
struct StepRequest {
    int step = 0;
    const KernelSource* source = nullptr;
    KnobValues knobs;
    Block block;
    Tiling tiling;
    CachePreference cache = CachePreference::none;
    BankWidth banks = BankWidth::standard;
    std::optional<OwnShape> shape{};
    bool uneven = false;  // as the step is
};

// The steps for which the version has a kernel. A knob takes, in this order: the person's value if it is in
// range, the version's, the kernel's default. A block that the kernel does not take becomes the nearest that
// it does.
[[nodiscard]] std::vector<StepRequest> step_requests(const Work& work, const KernelLookup& find);
// The one of a step; null if the version has none.
[[nodiscard]] const StepRequest* request_of(const std::vector<StepRequest>& requests, int step);

// The arguments of a step: as what is shown passes them, else as the first view does that runs it.
[[nodiscard]] std::vector<Argument> arguments_of(const Work& work, int step);
// Whether what is shown needs the step.
[[nodiscard]] bool runs_step(const Work& work, int step);
// Bytes that the work's other steps touch, and this one does not, between two launches of it where all steps
// follow each other round and round: what it reads may have left the caches by then. 0 where no more than
// half of what it reads is nobody else's.
[[nodiscard]] double bytes_between(const Work& work, int step, Extent size);

// The launch of a step's kernel over work of this size on a GPU with so many multiprocessors.
[[nodiscard]] Launch launch_of(const StepRequest& request, std::vector<Argument> arguments,
                               std::shared_ptr<const CompiledKernel> kernel, Extent size,
                               int multiprocessors);

// Whether a GPU of this capability has what the kernel needs.
[[nodiscard]] bool can_run(const KernelSource& source, ComputeCapability capability);
// "blur_g6.cu needs compute capability 8.0 (why); this GPU has 3.0".
[[nodiscard]] Message why_not(const KernelSource& source, ComputeCapability capability);

[[nodiscard]] CompileRequest compile_request(const Lab& lab, const StepRequest& request, CodeTarget target);

// What a plan depends on besides the work.
struct Surroundings {
    KernelLookup find;
    const Nvrtc* compiler = nullptr;  // null: there is none, and no code is asked for
    DeviceFacts device;
    GpuProfile target;  // whose occupancy and counts are shown
    InputKey input;     // 0 x 0: there is none yet
    // The GPU that runs the kernels; the target where none does.
    [[nodiscard]] const GpuProfile& runs_on() const {
        return device.can.measures_time ? device.profile : target;
    }
};

// What a person has edited runs under the checks of the simulated GPU before any device runs it: a sample of
// its blocks, as the GPU that it is for.
struct Trial {
    CompileRequest ptx;
    CountKey key;
};

// A kernel of the work: as it runs, and as PTX and machine code for the target.
struct PlannedKernel {
    StepRequest request;
    bool runs = false;
    CompileRequest run, ptx, code;  // without a name: not asked for
    CountKey key;                   // of its counts on the target
    double bytes_between = 0;       // see bytes_between()
    Launch launch;                  // where it runs; without its kernel
    Launch counted;                 // on the target; without its kernel
    std::optional<Trial> trial;     // of an edited kernel that runs
    Message run_problem;            // why it cannot run
    Message problem;                // why the target cannot run it

    [[nodiscard]] ClockKey clock_key(int blocks = 0) const { return {key, bytes_between, blocks}; }
};

struct PlannedWork {
    Work work;
    WorkKey key;                         // of times and result
    std::vector<PlannedKernel> kernels;  // by step, for those that the version has
    CodeTarget run_target, near_target;  // what runs; what is closest to the target
    std::string gpu;                     // the target's name
};
[[nodiscard]] PlannedWork plan_work(const Work& work, const Surroundings& surroundings);

// Work that a person may well choose next, the likeliest first: the next stops of the block's sliders, the
// neighbouring versions, the next values of knobs, and the stops after those.
[[nodiscard]] std::vector<Work> likely_next(const Work& work, const KernelLookup& find);

// The largest number of registers per thread, as a multiple of 8, with which a block of `threads` threads
// fits the GPU's register file; 0 where no kernel can exceed it. Without such a cap a kernel of more
// registers could not be launched with large blocks.
[[nodiscard]] int register_cap(int threads, const GpuLimits& limits);
// For a register file of 64 K, which most GPUs from 3.0 on have.
[[nodiscard]] int register_cap(int threads);

}  // namespace ws
