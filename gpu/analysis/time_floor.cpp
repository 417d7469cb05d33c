#include "gpu/analysis/time_floor.h"

#include <algorithm>

namespace ws {

double time_floor_ms(double least_bytes, int launches, const GpuProfile& gpu) {
    constexpr double kEventMs = 0.0005;
    const double beyond_cache = least_bytes - double(gpu.l2_kib) * 1024;
    const double bus = gpu.bandwidth_gb_s > 0 ? beyond_cache / gpu.bandwidth_gb_s / 1e6 : 0;
    return std::max(kEventMs * launches, bus);
}

}  // namespace ws
