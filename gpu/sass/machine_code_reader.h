#pragma once
// Machine code out of a cubin, without a disassembler: for capability 7.5 to 12.1.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/error.h"
#include "gpu/core/machine_code.h"

namespace ws {

// The kernel with this symbol. Lines are known where the cubin was compiled with -lineinfo. The failure says
// what is missing or damaged.
[[nodiscard]] Result<MachineCode> read_machine_code(std::span<const char> cubin, std::string_view kernel);

// The PTX that the cubin was assembled from, line by line as `ptx_line` counts; empty where it is not in
// there.
[[nodiscard]] std::string ptx_in(std::span<const char> cubin);

// Whether a PTX text is that of a cubin, line by line: this has no comments in it, no indentation and nothing
// that says where in a source a line comes from.
[[nodiscard]] bool is_same_ptx(std::string_view in_cubin, std::string_view text);

}  // namespace ws
