#pragma once
// From settings to the kernels that they ask for.

#include <functional>
#include <vector>

#include "gpu/core/kernel.h"
#include "gpu/core/settings.h"
#include "gpu/core/version.h"

namespace ws {

// A kernel with all its constants: BLOCK_X and BLOCK_Y are among the knobs.
struct StageRequest {
    Stage stage = Stage::gray;
    const KernelSource* source = nullptr;
    KnobValues knobs;
    Block block;
    Tiling tiling;
};

using KernelLookup = std::function<const KernelSource&(std::string_view name)>;

// The stages for which the version of `settings` has a kernel. A knob takes, in this order: the person's
// value if it is in range, the version's, the kernel's default. A block that the kernel does not take becomes
// the nearest that it does.
[[nodiscard]] std::vector<StageRequest> stage_requests(const Settings& settings, const KernelLookup& find);
// The one of a stage; null if the version has none.
[[nodiscard]] const StageRequest* request_of(const std::vector<StageRequest>& requests, Stage stage);

// Whether a stage of the version runs for the picture of `view`: its one kernel for all, if it has one and
// the picture is that of the whole pipeline, else every stage that is needed.
[[nodiscard]] bool runs_stage(const Version& version, View view, bool blur_first, Stage stage);

// Settings for `version` with its own blocks and knobs; everything else stays.
[[nodiscard]] Settings with_version(Settings settings, const Version& version);

// Whether a GPU of this capability has what the kernel needs.
[[nodiscard]] bool can_run(const KernelSource& source, ComputeCapability capability);

// The launch of a stage's kernel over a picture on a GPU with so many multiprocessors, with the preferences
// of the version: its cache and banks are those of the kernel that it is about, blur or all in one.
[[nodiscard]] Launch launch_of(const Version& version, Stage stage,
                               std::shared_ptr<const CompiledKernel> kernel, Block block,
                               const Tiling& tiling, Extent picture, int multiprocessors);

// The bytes that a stage must read and write at least.
[[nodiscard]] double least_bytes(Stage stage, Extent picture);

// The largest number of registers per thread, as a multiple of 8, with which a block
// of `threads` threads fits the GPU's register file; 0 where no kernel can exceed it. Without such a cap a
// kernel of more registers could not be launched with large blocks.
[[nodiscard]] int register_cap(int threads, const GpuLimits& limits);
// For a register file of 64 K, which most GPUs from 3.0 on have.
[[nodiscard]] int register_cap(int threads);

}  // namespace ws
