#include "gpu/core/peak.h"

#include "gpu/core/throughput.h"

namespace ws {
namespace {

constexpr double kPerMhz = 1e-3;  // 10^9 a second

}  // namespace

double peak_bandwidth_gb_s(const GpuProfile& gpu) {
    return gpu.memory_clock_mhz * kPerMhz * kTransfersPerClock * gpu.bus_width_bits / 8;
}

int fp32_lanes(ComputeCapability capability) {
    return int(throughput_of(capability).fma);
}

double peak_gflop_s(const GpuProfile& gpu) {
    return gpu.clock_mhz * kPerMhz * kOperationsPerLane * fp32_lanes(gpu.limits.capability) *
           gpu.multiprocessors;
}

}  // namespace ws
