#pragma once
// One launch on the simulated GPU, with checks, counts and an estimate: of a lab's step or of a person's
// kernel.

#include <string>
#include <vector>

#include "app/cli/options.h"
#include "app/cli/simt_report.h"
#include "gpu/compile/nvrtc.h"
#include "gpu/core/plan.h"
#include "gpu/simt/plan_memory.h"

namespace ws {

// A kernel for the simulated GPU.
struct SimulatedKernel {
    CompileRequest request;  // with the kernel's name in full
    std::shared_ptr<const simt::Program> program;
    Result<CompileReport> code;  // what the assembler says of machine code: registers decide on occupancy
    std::shared_ptr<const CompiledKernel> machine_code{};  // null where there is none
};

// `kernels`: of a person's file, which may name its kernel in short. Throws Error with the compiler's log.
[[nodiscard]] SimulatedKernel compile_simulated(const Nvrtc& nvrtc, CompileRequest request,
                                                const GpuProfile& gpu,
                                                const std::vector<std::string>& kernels = {});

[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

// Runs the launch as the options say, whole or a sample of its blocks. What it leaves is in `memory`. Throws
// Error where the GPU would not take it.
[[nodiscard]] SimtReport run_simulated(const Options& options, const GpuProfile& gpu,
                                       const SimulatedKernel& kernel, const Problem& problem,
                                       const Launch& launch, simt::PlanMemory& memory);

}  // namespace ws
