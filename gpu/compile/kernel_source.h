#pragma once
// Reads what a kernel file says of itself: its knobs and how many pixels a thread computes.

#include <string>
#include <string_view>

#include "gpu/core/error.h"
#include "gpu/core/kernel.h"

namespace ws {

// The stage of a kernel is the first word of its name: blur_g1 is a blur kernel. A line that starts like a
// knob but cannot be read is a failure that names the line.
[[nodiscard]] Result<KernelSource> parse_kernel(std::string_view name, std::string text);

// The registers that the kernel allows a thread, by the knob that it names for them; 0: as many as there are.
[[nodiscard]] int register_limit(const KernelSource& source, const KnobValues& knobs);

}  // namespace ws
