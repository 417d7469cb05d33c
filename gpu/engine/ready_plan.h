#pragma once
// Planned work as a plan that a device can run.

#include <optional>

#include "gpu/compile/compile_service.h"
#include "gpu/core/message.h"
#include "gpu/core/plan.h"
#include "gpu/engine/count_book.h"
#include "gpu/engine/planner.h"

namespace ws {

// Neither a plan nor a problem: its kernels are still being compiled, or an edited one is on trial.
struct ReadyPlan {
    std::optional<Plan> plan;  // without a generation
    Message problem;           // why there will be none
};
// Nothing is launched on a device before its kernels are compiled and edited ones have passed their trials.
[[nodiscard]] ReadyPlan ready_plan(const PlannedWork& work, const CompileService& compiler,
                                   const CountBook& counts);

}  // namespace ws
