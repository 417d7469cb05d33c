#include "gpu/core/occupancy.h"

namespace ws {
namespace {

constexpr int kWarp = 32;

int round_up(int value, int step) {
    return (value + step - 1) / step * step;
}

int with_warps(const KernelResources& kernel, const GpuLimits& limits, int warp_granularity) {
    const int warps = round_up((kernel.threads + kWarp - 1) / kWarp, warp_granularity);
    if (!limits.registers_per_warp)  // 1.x: a block takes one lot for all its warps
        return round_up(warps * kWarp * kernel.registers, limits.register_granularity);
    return warps * round_up(kernel.registers * kWarp, limits.register_granularity);
}

}  // namespace

int registers_of_block(const KernelResources& kernel, const GpuLimits& limits) {
    return with_warps(kernel, limits, limits.registers_per_warp ? 1 : limits.warp_granularity);
}

int registers_checked(const KernelResources& kernel, const GpuLimits& limits) {
    constexpr int kCheckedPartitions = 4;
    return limits.capability.major >= 3 ? with_warps(kernel, limits, kCheckedPartitions)
                                        : registers_of_block(kernel, limits);
}

}  // namespace ws
