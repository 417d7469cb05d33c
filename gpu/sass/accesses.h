#pragma once
// Loads and stores by source line: those that PTX says beside those that the assembler made of them.

#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "gpu/core/machine_code.h"

namespace ws {

// One kind of access in one line of the kernel's file.
struct AccessKind {
    int line = 0;
    MemorySpace space = MemorySpace::none;
    bool store = false;
    int bytes = 0;  // of a thread
    friend auto operator<=>(const AccessKind&, const AccessKind&) = default;
};
using AccessTable = std::map<AccessKind, int>;  // how many instructions

[[nodiscard]] AccessTable machine_accesses(const MachineCode& code);
// Of the kernel with this symbol, by the PTX's .loc directives. Parameters and constants are no accesses.
[[nodiscard]] AccessTable ptx_accesses(std::string_view ptx, std::string_view kernel);

// Lines whose instructions differ in number or width: joined, split, dropped, repeated by unrolling, or
// spilled.
[[nodiscard]] std::vector<int> changed_lines(const AccessTable& ptx, const AccessTable& machine);

}  // namespace ws
