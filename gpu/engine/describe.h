#pragma once
// From planned work and what became of it to what is shown of each step.

#include "gpu/compile/compile_service.h"
#include "gpu/core/snapshot.h"
#include "gpu/engine/asked_work.h"
#include "gpu/engine/planner.h"

namespace ws {

// What is known before anything is compiled; what is known from earlier work stays until it is replaced.
void describe_steps(const PlannedWork& planned, const InputKey& input, std::vector<StepSnapshot>& steps);
// What the compiler has made of them: state and grid; occupancy, PTX and machine code are those of the kernel
// whose figures are told.
void describe_kernels(const AskedWork& asked, const CompileService& compiler, const Surroundings& around,
                      std::vector<StepSnapshot>& steps);
// The step's source beside the baseline's kernel for the same step, if that has one.
void describe_lines(const PlannedWork* baseline, StepSnapshot& shown);
// "RTX 3060 (from the table); registers from NVRTC 13.0 for sm_86".
[[nodiscard]] std::string target_note(const PlannedWork& planned, const Surroundings& around);
// Versions of the lab that the GPU cannot run, and why.
[[nodiscard]] std::map<int, Message> unavailable_versions(const Lab& lab, const Surroundings& around);

}  // namespace ws
