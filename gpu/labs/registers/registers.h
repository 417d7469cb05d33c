#pragma once
// Registers: what a thread may take, by launch bounds or by a limit for the compiler, what does not fit and
// spills, and what else can be done. To add a version: its .cu file here and a row in registers.cpp.

#include "gpu/core/lab.h"

namespace ws::registers {

namespace buffer {
enum Buffer : int { numbers, transformed };
}

[[nodiscard]] const Lab& lab();

}  // namespace ws::registers
