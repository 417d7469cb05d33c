#pragma once
// Which line an instruction belongs to: the programs of DWARF's section .debug_line (version 2 to 4, DWARF
// Debugging Information Format, section 6.2), with NVIDIA's additions for functions that were inlined.

#include <string_view>
#include <vector>

#include "gpu/sass/elf.h"

namespace ws {

// Instructions from this address on, up to the next row's.
struct LineRow {
    std::uint64_t address = 0;
    int line = 0;      // of the file that the kernel begins in; calls of functions of other files are told by
                       // their own line
    bool end = false;  // nothing of the kernel follows
};

// Of the code in the section `text`, by address. `table`: ".debug_line", or ".nv_debug_line_sass" with lines
// of PTX.
[[nodiscard]] std::vector<LineRow> line_rows(const Elf& elf, std::string_view table, int text);

// 0: not known.
[[nodiscard]] int line_at(const std::vector<LineRow>& rows, std::uint64_t address);

}  // namespace ws
