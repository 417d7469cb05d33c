#pragma once
// Reads the assembler's report (--ptxas-options=-v) out of a compiler log.

#include <string_view>

#include "gpu/core/kernel.h"

namespace ws {

// Fills registers, shared, local, constant and spill bytes of `report` from its log.
void read_ptxas_report(std::string_view log, CompileReport& report);

}  // namespace ws
