#include "app/cli/simt_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <sstream>

#include "app/cli/kernel_file.h"
#include "app/cli/long_run.h"
#include "gpu/analysis/estimate.h"
#include "gpu/analysis/occupancy.h"
#include "gpu/core/error.h"
#include "gpu/engine/launch_clock.h"
#include "gpu/engine/targets.h"
#include "gpu/simt/launch_limits.h"
#include "gpu/simt/sample.h"

namespace ws {
namespace {

constexpr std::uint8_t kPoison = 0xA5;

// Throws where a GPU would not take the launch, or the assembler not the kernel.
void refuse_launch(const GpuProfile& gpu, simt::KernelLaunch& launch, const SimulatedKernel& compiled) {
    if (compiled.code.ok()) launch.registers = registers_within_cap(compiled.code.value());
    simt::refuse_impossible(gpu, launch);
    if (!compiled.code.ok())
        throw Error("the assembler refuses the kernel for " + gpu.name, "", "\n" + compiled.code.message());
}

// What a block of the launch takes of a multiprocessor.
Occupancy occupancy_of_launch(const GpuProfile& gpu, const simt::KernelLaunch& launch,
                              const CompileReport& code) {
    const KernelResources resources{
        launch.block[0] * launch.block[1] * launch.block[2], registers_within_cap(code),
        code.shared_bytes + int(launch.dynamic_shared_bytes), launch.dynamic_shared_bytes > 0, launch.cache};
    return occupancy_of(resources, gpu.limits);
}

// What the clock of a multiprocessor says; null where it does not run the kernel.
std::shared_ptr<const ClockedLaunch> clocked(const Estimate& by_bounds, const KernelCounters& counters,
                                             const SimulatedKernel& kernel, const Problem& problem,
                                             const Launch& launched, const GpuProfile& gpu,
                                             simt::PlanMemory& memory) {
    const bool any = by_bounds.ms > 0 || by_bounds.needs_clock;
    if (!any || !kernel.machine_code || !has_clock(gpu)) return nullptr;
    ClockJob job;
    job.key.counts = {std::string(problem.lab->id), launch_key(launched, {}), input_key(problem), gpu};
    job.launch = launched;
    job.launch.kernel = kernel.machine_code;
    job.problem = problem;
    job.counters = std::make_shared<const KernelCounters>(counters);
    job.device_bytes = by_bounds.device_bytes;
    try {
        const auto stage = [&](const Launch& launch) {
            const auto program = simt::load_program(
                {launch.kernel->binary.data(), launch.kernel->binary.size()}, launch.kernel->entry);
            if (!program.ok()) throw Error(program.message());
            StagedLaunch staged{simt::Gpu(gpu), {}};
            staged.launch = memory.stage(staged.gpu, program.value(), launch, kPoison);
            return staged;
        };
        const std::atomic<bool> cancel{false};
        return std::make_shared<const ClockedLaunch>(TracedKernel::make(job, stage, cancel)->launch(gpu));
    } catch (const Error&) {
        return nullptr;
    }
}

void estimate(SimtReport& report, const GpuProfile& gpu, const simt::KernelLaunch& launch,
              const SimulatedKernel& kernel, const Problem& problem, const Launch& launched,
              simt::PlanMemory& memory) {
    const CompileReport& compiled = kernel.code.value();
    if (report.end != RunEnd::complete) {
        report.no_estimate = "the counts are not of a whole run";
        return;
    }
    const GpuLimits& limits = gpu.limits;
    const Occupancy occupancy = occupancy_of_launch(gpu, launch, compiled);
    const KernelResources& resources = occupancy.resources;
    if (resources.shared_bytes > limits.shared_bytes_per_block)
        report.notes.push_back(fmt::format(
            "{} bytes of shared memory are more than {}: without a call of cudaFuncSetAttribute(kernel, "
            "cudaFuncAttributeMaxDynamicSharedMemorySize, {}) the GPU answers cudaErrorInvalidValue",
            resources.shared_bytes, limits.shared_bytes_per_block, launch.dynamic_shared_bytes));
    const CodeFacts& code = compiled.code;
    const std::string spilled = fmt::format("{} bytes of stores and {} of loads, which are not counted",
                                            code.spill_store_bytes, code.spill_load_bytes);
    if (code.spill_bytes() > 0 && compiled.register_cap > 0 && compiled.registers >= compiled.register_cap)
        report.notes.push_back(fmt::format("compiled for at most {} registers a thread it spills {}",
                                           compiled.register_cap, spilled));
    else if (code.spill_bytes() > 0)
        report.notes.push_back(
            fmt::format("with {} registers a thread the compiler spills {}", compiled.registers, spilled));
    Estimate made = estimate_time(report.counters, occupancy, gpu, code);
    if ((made.ms > 0 || made.needs_clock) && problem.lab &&
        problem.lab->steps.at(std::size_t(launched.step)).uneven) {
        report.no_estimate = "the work of blocks is too uneven";
        return;
    }
    report.clocked = clocked(made, report.counters, kernel, problem, launched, gpu, memory);
    if (report.clocked) made = by_clock(std::move(made), *report.clocked);
    if (made.ms > 0)
        report.estimate = made;
    else
        report.no_estimate = made.reason;
}

void take(simt::LaunchOutcome outcome, SimtReport& report) {
    report.counters = std::move(outcome.counters);
    report.printed = std::move(outcome.printed);
    report.printed_cut = outcome.printed_cut;
    report.end = outcome.cancelled ? RunEnd::interrupted
                 : outcome.stopped ? RunEnd::stopped
                                   : RunEnd::complete;
}

// With the limits that the user set; a sample is too short for progress to be worth showing.
simt::LaunchOutcome launch(const Options& options, simt::Gpu& gpu, const simt::KernelLaunch& staged,
                           simt::LaunchOptions launching, const simt::Layout& layout) {
    const auto [x, y, z] = staged.grid;
    const bool sample = options.simt.sample;
    LongRun watch(sample ? 0 : std::uint64_t(x) * std::uint64_t(y) * std::uint64_t(z));
    launching.step_limit = options.simt.step_limit;
    launching.block_seconds = options.simt.block_seconds;
    launching.blocks_done = &watch.blocks_done();
    launching.cancel = &watch.cancelled();
    launching.check = true;
    if (sample) return simt::count_sample(gpu, staged, launching, layout);
    launching.track_touched = launching.model_caches = true;
    return gpu.launch(staged, launching);
}

}  // namespace

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

SimulatedKernel compile_simulated(const Nvrtc& nvrtc, CompileRequest request, const GpuProfile& gpu,
                                  const std::vector<std::string>& kernels) {
    request.architecture = nearest_target(nvrtc.architectures(), gpu.limits.capability).architecture;
    request.to_ptx = true;
    Result<CompiledKernel> ptx = nvrtc.compile(request);
    if (!ptx.ok() && request.host_names) {
        request.entry = full_name(request, kernels);
        ptx = nvrtc.compile(request);
    }
    if (!ptx.ok()) throw Error(request.name + " does not compile", "", "\n" + ptx.message());
    const std::string& entry = ptx.value().entry;
    const auto program = simt::load_program({ptx.value().binary.data(), ptx.value().binary.size()}, entry);
    if (!program.ok()) throw Error(program.message());
    request.to_ptx = false;
    SimulatedKernel made{request, program.value(), Result<CompileReport>::failure(""), nullptr};
    const auto assemble = [&] {
        Result<CompiledKernel> code = nvrtc.compile(made.request);
        if (!code.ok()) {
            made.code = nvrtc.assemble(made.request, entry);
            return;
        }
        made.code = code.value().report;
        made.machine_code = std::make_shared<const CompiledKernel>(std::move(code.value()));
    };
    assemble();
    if (made.code.ok() && made.code.value().registers > gpu.limits.registers_per_thread) {
        // The GPU's own compiler would keep to what a thread can have.
        made.request.register_cap = gpu.limits.registers_per_thread;
        assemble();
    }
    return made;
}

SimtReport run_simulated(const Options& options, const GpuProfile& gpu, const SimulatedKernel& kernel,
                         const Problem& problem, const Launch& launched, simt::PlanMemory& memory) {
    simt::Gpu simulated(gpu);
    simt::PlanMemory untouched = memory;
    simt::KernelLaunch staged = memory.stage(simulated, kernel.program, launched, kPoison);
    refuse_launch(gpu, staged, kernel);
    const CompileReport& code = kernel.code.value();
    simt::LaunchOptions launching;
    launching.window_blocks = resident_blocks(occupancy_of_launch(gpu, staged, code), gpu);
    SimtReport report;
    report.capability = gpu.limits.capability;
    std::copy(staged.grid.begin(), staged.grid.end(), report.grid);
    std::copy(staged.block.begin(), staged.block.end(), report.block);
    take(launch(options, simulated, staged, launching, simt::layout_of(*problem.lab, launched, problem.size)),
         report);
    // Here the program ends.
    const std::vector<Finding> leaks = simulated.leaks();
    if (report.end == RunEnd::complete)
        report.counters.findings.insert(report.counters.findings.end(), leaks.begin(), leaks.end());
    if (options.simt.sample)
        report.counters.unique_bytes =
            std::uint64_t(least_bytes(*problem.lab, launched.arguments, problem.size));
    report.source_lines = lines_of(kernel.request.text);
    estimate(report, gpu, staged, kernel, problem, launched, untouched);
    return report;
}

}  // namespace ws
