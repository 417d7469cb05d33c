#include "gpu/core/peak.h"

#include <array>

namespace ws {
namespace {

struct Lanes {
    int capability = 0;  // and later ones, up to the next row
    int lanes = 0;
};
constexpr std::array kLanes{Lanes{10, 8},  Lanes{20, 32},  Lanes{21, 48}, Lanes{30, 192}, Lanes{50, 128},
                            Lanes{60, 64}, Lanes{61, 128}, Lanes{70, 64}, Lanes{86, 128}};
constexpr double kPerMhz = 1e-3;  // 10^9 a second

}  // namespace

double peak_bandwidth_gb_s(const GpuProfile& gpu) {
    return gpu.memory_clock_mhz * kPerMhz * kTransfersPerClock * gpu.bus_width_bits / 8;
}

int fp32_lanes(ComputeCapability capability) {
    int found = 0;
    for (const Lanes& row : kLanes) {
        if (capability.number() >= row.capability) found = row.lanes;
    }
    return found;
}

double peak_gflop_s(const GpuProfile& gpu) {
    return gpu.clock_mhz * kPerMhz * kOperationsPerLane * fp32_lanes(gpu.limits.capability) *
           gpu.multiprocessors;
}

}  // namespace ws
