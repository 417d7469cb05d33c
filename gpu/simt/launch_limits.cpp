#include "gpu/simt/launch_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/core/error.h"
#include "gpu/core/occupancy.h"
#include "gpu/simt/requirements.h"

namespace ws::simt {
namespace {

constexpr const char* kConfiguration = "cudaErrorInvalidConfiguration (invalid configuration argument)";
constexpr const char* kValue = "cudaErrorInvalidValue (invalid argument)";
constexpr const char* kResources = "cudaErrorLaunchOutOfResources (too many resources requested for launch)";
constexpr const char* kMemory = "cudaErrorMemoryAllocation (out of memory)";
constexpr const char* kNoImage =
    "cudaErrorNoKernelImageForDevice (no kernel image is available for execution on the device)";

std::string text_of(const Shape& shape) {
    return fmt::format("{} x {} x {}", shape[0], shape[1], shape[2]);
}
std::string text_of(const GpuProfile& gpu) {
    return fmt::format("{} (compute capability {})", gpu.name, gpu.limits.capability.text());
}
std::uint64_t product(const Shape& shape) {
    return std::uint64_t(shape[0]) * std::uint64_t(shape[1]) * std::uint64_t(shape[2]);
}

struct Refusing {
    const GpuProfile& profile;
    const KernelLaunch& launch;
    const GpuLimits& limits = profile.limits;
    const Program& program = *launch.program;
    const std::string gpu = text_of(profile);

    [[noreturn]] void refuse(const char* code, const std::string& reason, const std::string& remedy) const {
        throw RefusedLaunch(gpu, code, reason, remedy);
    }

    void features() const {
        const auto missing = missing_feature(program, limits.capability);
        if (!missing) return;
        refuse(kNoImage,
               fmt::format("'{}' (line {}) needs compute capability {} ({})", missing->opcode, missing->line,
                           missing->needs.text(), missing->feature),
               "choose a newer GPU, or write it without");
    }

    void sides(const char* what, const char* unit, const Shape& shape, const Shape& most) const {
        constexpr const char* kAxes = "xyz";
        for (std::size_t i = 0; i < 3; ++i) {
            if (shape[i] < 1)
                refuse(kConfiguration, fmt::format("a {} of {} {}", what, text_of(shape), unit),
                       "every side is at least 1");
            if (shape[i] > most[i])
                refuse(kConfiguration,
                       fmt::format("a {} of {} {} has {} along {}, {} at most", what, text_of(shape), unit,
                                   shape[i], kAxes[i], most[i]),
                       i == 2 && most[2] == 1 ? "this GPU's grids have two dimensions"
                                              : fmt::format("spread the {} over other axes", unit));
        }
    }

    void threads() const {
        const std::uint64_t threads = product(launch.block);
        if (threads > std::uint64_t(limits.threads_per_block))
            refuse(kConfiguration,
                   fmt::format("{} = {} threads are too many for a block", text_of(launch.block), threads),
                   fmt::format("a block of this GPU has at most {}", limits.threads_per_block));
        if (program.block.threads_at_most > 0 && threads > program.block.threads_at_most)
            refuse(kResources,
                   fmt::format("{} = {} threads a block, but the kernel was compiled for at most {}",
                               text_of(launch.block), threads, program.block.threads_at_most),
                   "make the block smaller, or raise the number in __launch_bounds__");
        if (program.block.required[0] > 0 && program.block.required != launch.block)
            refuse("an error",
                   fmt::format("a block of {} threads, but the kernel was compiled for {} exactly",
                               text_of(launch.block), text_of(program.block.required)),
                   "launch it with that block");
    }

    void shared_memory() const {
        const std::uint64_t fixed = program.static_shared_bytes;
        const std::uint64_t sum = fixed + launch.dynamic_shared_bytes;
        const auto usual = std::uint64_t(limits.shared_bytes_per_block);
        const auto opt_in = std::uint64_t(limits.shared_bytes_opt_in);
        if (fixed > usual)
            throw RefusedLaunch(
                gpu,
                fmt::format("an error of ptxas (uses too much shared data: 0x{:x} bytes, 0x{:x} max)", fixed,
                            usual),
                fmt::format("the kernel's __shared__ arrays have {} bytes, {} at most", fixed, usual),
                opt_in > usual
                    ? fmt::format("make them smaller, or extern __shared__ with up to {} bytes", opt_in)
                    : "make them smaller");
        if (launch.dynamic_shared_bytes > opt_in || sum > opt_in)
            refuse(kValue,
                   fmt::format(
                       "{} bytes of static and {} of dynamic shared memory are {}, a block has at most {}",
                       fixed, launch.dynamic_shared_bytes, sum, opt_in),
                   "use less shared memory");
    }

    void registers() const {
        if (launch.registers == 0) return;
        const auto threads = int(product(launch.block));
        const KernelResources resources{threads, launch.registers, 0};
        const int needed = registers_checked(resources, limits);
        if (needed <= limits.registers_per_block) return;
        refuse(kResources,
               fmt::format("{} registers x {} threads take {} registers as allocated, a block has at "
                           "most {}",
                           launch.registers, threads, needed, limits.registers_per_block),
               "use fewer threads a block, or __launch_bounds__ so that the compiler uses fewer registers");
    }
};

}  // namespace

void refuse_impossible(const GpuProfile& gpu, const KernelLaunch& launch) {
    const Refusing check{gpu, launch};
    check.features();
    check.sides("grid", "blocks", launch.grid, gpu.limits.grid);
    check.sides("block", "threads", launch.block, gpu.limits.block);
    check.threads();
    check.shared_memory();
    check.registers();
}

void refuse_memory(const GpuProfile& gpu, std::uint64_t bytes) {
    const double gib = double(bytes) / double(1 << 30);
    if (gpu.memory_gib > 0 && gib > gpu.memory_gib)
        throw RefusedLaunch(text_of(gpu), kMemory,
                            fmt::format("the buffers have {:.2f} GiB, the GPU {:g}", gib, gpu.memory_gib),
                            "use smaller ones");
}

}  // namespace ws::simt
