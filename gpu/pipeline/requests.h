#pragma once
// From settings to the kernels that they ask for.

#include <array>
#include <functional>

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
};

using KernelLookup = std::function<const KernelSource&(std::string_view name)>;

// The three stages of the version and blocks in `settings`. A knob takes, in this order: the person's value
// if it is in range, the version's, the kernel's default.
[[nodiscard]] std::array<StageRequest, 3> stage_requests(const Settings& settings, const KernelLookup& find);

// Settings for `version` with its own blocks and knobs; everything else stays.
[[nodiscard]] Settings with_version(Settings settings, const Version& version);

// The bytes that a stage must read and write at least.
[[nodiscard]] double least_bytes(Stage stage, Extent picture);

// The largest number of registers per thread, as a multiple of 8, with which `threads` threads fit a register
// file of 64 K; 0 where no kernel can exceed it. Without such a cap a kernel of more registers could not be
// launched with large blocks.
[[nodiscard]] int register_cap(int threads);

}  // namespace ws
