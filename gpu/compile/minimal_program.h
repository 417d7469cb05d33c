#pragma once
// What the compiler need not read: half of its time with a small kernel goes into declarations of its own.

#include "gpu/compile/nvrtc.h"

namespace ws {

// Whether the program does without what NVRTC's option "minimal" leaves out: textures, surfaces, the types
// and functions of the runtime, and launches from the device. Only texts that the request holds are looked
// into: one that includes others is not minimal. Names in comments count, too.
[[nodiscard]] bool is_minimal(const CompileRequest& request);

}  // namespace ws
