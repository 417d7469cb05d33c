#pragma once
// Reads the assembler's report (--ptxas-options=-v) out of a compiler log.

#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/kernel.h"

namespace ws {

// Fills registers, shared, local, constant and spill bytes of `report` with what the log says of the kernel
// `entry` (its symbol). What other kernels of the file take does not count. False, and `report` as it was, if
// the log says nothing of it.
bool read_ptxas_report(std::string_view log, std::string_view entry, CompileReport& report);

// The symbols of the kernels that the log reports.
[[nodiscard]] std::vector<std::string> ptxas_entries(std::string_view log);

// The log without the assembler's lines: as of a compilation to PTX.
[[nodiscard]] std::string without_ptxas_report(std::string_view log);

}  // namespace ws
