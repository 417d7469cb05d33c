#pragma once

#include "gpu/core/device.h"
#include "gpu/core/difference.h"
#include "gpu/core/lab.h"

namespace ws {

// Of a buffer of gray values or floats. `tile` is what a block of the last launch computes, `arguments` the
// first buffer, for a result that approximates a function of it.
[[nodiscard]] Difference difference_of(const Buffer& buffer, Extent size, const HostBytes& result,
                                       const HostBytes& reference, Extent tile,
                                       const PixelBytes* arguments = nullptr);

}  // namespace ws
