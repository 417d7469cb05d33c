#include "gpu/analysis/occupancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gpu/analysis/arithmetic.h"

namespace ws {
namespace {

int round_up(int value, int step) {
    return divide_up(value, step) * step;
}

struct RegisterUse {
    int blocks = 0;
    int per_block = 0;
};

RegisterUse register_use(const KernelResources& kernel, const GpuLimits& limits, int warps) {
    if (kernel.registers > limits.registers_per_thread) return {0, kernel.registers * warps * kWarp};
    if (kernel.registers == 0) return {kNoLimit, 0};
    const int per_block = registers_of_block(kernel, limits);
    if (registers_checked(kernel, limits) > limits.registers_per_block) return {0, per_block};
    if (!limits.registers_per_warp) return {limits.registers_per_multiprocessor / per_block, per_block};
    const int warps_per_partition =
        limits.registers_per_multiprocessor / limits.partitions / (per_block / warps);
    return {warps_per_partition * limits.partitions / warps, per_block};
}

// The numbers, without words.
Occupancy count(const KernelResources& kernel, const GpuLimits& limits) {
    Occupancy result;
    result.resources = kernel;
    result.limits = limits;
    const int warps = divide_up(kernel.threads, kWarp);
    result.warps_per_block = warps;
    result.by_blocks = limits.blocks_per_multiprocessor;
    const int counted_warps = limits.registers_per_warp ? warps : round_up(warps, limits.warp_granularity);
    result.by_warps =
        kernel.threads > limits.threads_per_block ? 0 : limits.warps_per_multiprocessor / counted_warps;

    const RegisterUse use = register_use(kernel, limits, warps);
    result.by_registers = use.blocks;
    result.registers_per_block = use.per_block;

    result.shared_per_block =
        round_up(kernel.shared_bytes + limits.shared_bytes_reserved, limits.shared_granularity);
    const int shared_at_most =
        kernel.shared_opt_in ? limits.shared_bytes_opt_in : limits.shared_bytes_per_block;
    if (kernel.shared_bytes > shared_at_most) {
        result.by_shared = 0;
    } else {
        result.by_shared = result.shared_per_block == 0
                               ? kNoLimit
                               : shared_of_multiprocessor(kernel, limits) / result.shared_per_block;
    }

    result.active_blocks =
        std::min({result.by_blocks, result.by_warps, result.by_registers, result.by_shared});
    result.active_warps = result.active_blocks * warps;
    result.percent = 100.0 * result.active_warps / limits.warps_per_multiprocessor;
    return result;
}

std::string percent(const Occupancy& occupancy) {
    return fmt::format("{:.0f}", occupancy.percent);
}

OccupancyCurve sweep(const KernelResources& resources, const GpuLimits& limits,
                     int KernelResources::*quantity, int first, int last, int step) {
    OccupancyCurve curve;
    curve.current = float(resources.*quantity);
    for (int value = first; value <= last; value += step) {
        KernelResources changed = resources;
        changed.*quantity = value;
        const Occupancy then = count(changed, limits);
        curve.x.push_back(float(value));
        curve.percent.push_back(float(then.percent));
        for (std::size_t i = 0; i < kLimiters; ++i) {
            // Before it is multiplied: what has no limit would not fit.
            const int most = limits.warps_per_multiprocessor;
            const int warps = std::min(blocks_by(then, Limiter(i)), most) * then.warps_per_block;
            curve.limits[i].push_back(100.0f * float(warps) / float(most));
        }
    }
    return curve;
}

}  // namespace

Occupancy occupancy_of(const KernelResources& resources, const GpuLimits& limits) {
    Occupancy result = count(resources, limits);
    const auto note = [&](int blocks, const char* name) {
        if (blocks == result.active_blocks) result.limited_by.emplace_back(name);
    };
    note(result.by_blocks, "blocks");
    note(result.by_warps, "warps");
    note(result.by_registers, "registers");
    note(result.by_shared, "shared");
    return result;
}

LaunchExcess excess_of(const Occupancy& occupancy) {
    using Of = LaunchExcess::Of;
    const KernelResources& kernel = occupancy.resources;
    const GpuLimits& limits = occupancy.limits;
    if (kernel.threads > limits.threads_per_block)
        return {Of::threads, kernel.threads, limits.threads_per_block};
    if (kernel.registers > limits.registers_per_thread)
        return {Of::registers_of_thread, kernel.registers, limits.registers_per_thread};
    if (occupancy.by_registers == 0)
        return {Of::registers_of_block, registers_checked(kernel, limits), limits.registers_per_block};
    if (occupancy.by_shared == 0)
        return {Of::shared, kernel.shared_bytes,
                kernel.shared_opt_in ? limits.shared_bytes_opt_in : limits.shared_bytes_per_block};
    return {};
}

Message why_not_launched(const Occupancy& occupancy) {
    const LaunchExcess excess = excess_of(occupancy);
    switch (excess.of) {
        case LaunchExcess::Of::threads:
            return message("{} threads > {}, the most that a block of this GPU has. Not launched.",
                           excess.asked, excess.most);
        case LaunchExcess::Of::registers_of_thread:
            return message("{} registers per thread > {}, the most that this GPU has. Not launched.",
                           excess.asked, excess.most);
        case LaunchExcess::Of::registers_of_block:
            return message(
                "{} registers × {} threads, as allocated: {} > {}, the most that a block can have. Not "
                "launched.",
                occupancy.resources.registers, occupancy.resources.threads, excess.asked, excess.most);
        case LaunchExcess::Of::shared:
            return message("{} bytes of shared memory > {}, the most that a block can have. Not launched.",
                           excess.asked, excess.most);
        case LaunchExcess::Of::none:
            break;
    }
    return {};
}

Message next_step(const Occupancy& now) {
    if (now.percent >= 100) return {};
    const KernelResources& kernel = now.resources;
    const auto better = [&](const KernelResources& changed) {
        const Occupancy then = count(changed, now.limits);
        return then.active_warps > now.active_warps ? std::optional(then) : std::nullopt;
    };
    for (int fewer = 1; fewer < kernel.registers; ++fewer) {
        KernelResources changed = kernel;
        changed.registers -= fewer;
        if (const auto then = better(changed)) {
            return fewer == 1 ? message("{} register fewer per thread: {} blocks, {} %", fewer,
                                        then->active_blocks, percent(*then))
                              : message("{} registers fewer per thread: {} blocks, {} %", fewer,
                                        then->active_blocks, percent(*then));
        }
    }
    for (int fewer = 1; fewer <= kernel.shared_bytes; ++fewer) {
        KernelResources changed = kernel;
        changed.shared_bytes -= fewer;
        if (const auto then = better(changed)) {
            return message("{} bytes of shared memory fewer per block: {} blocks, {} %", fewer,
                           then->active_blocks, percent(*then));
        }
    }
    const int whole_warps = round_up(kernel.threads, kWarp);
    for (int step = kWarp; step <= now.limits.threads_per_block; step += kWarp) {
        for (const int threads : {whole_warps + step, whole_warps - step}) {
            if (threads < kWarp || threads > now.limits.threads_per_block) continue;
            KernelResources changed = kernel;
            changed.threads = threads;
            if (const auto then = better(changed)) {
                return message("a block of {} threads instead of {}: {} blocks, {} %", threads,
                               kernel.threads, then->active_blocks, percent(*then));
            }
        }
    }
    return message("several limiters apply: no single change raises it");
}

std::array<OccupancyCurve, 3> occupancy_curves(const KernelResources& resources, const GpuLimits& limits) {
    const int shared_step = std::max(limits.shared_granularity, 256);
    return {sweep(resources, limits, &KernelResources::threads, kWarp, limits.threads_per_block, kWarp),
            sweep(resources, limits, &KernelResources::registers, 8, limits.registers_per_thread, 1),
            sweep(resources, limits, &KernelResources::shared_bytes, 0, limits.shared_bytes_per_block,
                  shared_step)};
}

}  // namespace ws
