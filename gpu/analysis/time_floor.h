#pragma once
// The time below which no measurement is believed.

#include "gpu/core/gpu_profile.h"

namespace ws {

// In ms, of `launches` kernels that must read and write so many bytes: what does not fit the L2 cache goes
// over the memory bus at its theoretical bandwidth, and each kernel takes half a microsecond at least, which
// is as fine as events are. With an unknown bandwidth the launches alone.
[[nodiscard]] double time_floor_ms(double least_bytes, int launches, const GpuProfile& gpu);

}  // namespace ws
