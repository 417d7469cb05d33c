#pragma once
// Calls between the functions of a program: by name, and through pointers.

#include <set>
#include <string>
#include <vector>

#include "gpu/simt/lower.h"
#include "gpu/simt/program.h"
#include "gpu/simt/ptx.h"

namespace ws::simt {

// A call through a pointer in a register.
[[nodiscard]] inline bool is_indirect(const PtxInstruction& instruction) {
    return !instruction.callee.empty() && instruction.callee[0] == '%';
}

// Where a function lies, as pointers to it have it; 0 if it has no code here.
[[nodiscard]] std::uint64_t address_of(const PtxModule& module, const std::string& function);
// The function there; null if there is none.
[[nodiscard]] const PtxFunction* function_at(const PtxModule& module, std::uint64_t address);

// Whether the function's parameters and result have the sizes of the call's.
[[nodiscard]] bool takes(const PtxFunction& callee, const PtxInstruction& from, const LaneParameters& caller);

// What the call copies between the two frames. Throws DecodeError where takes() would be false.
void link(Call& call, const PtxInstruction& from, const LaneParameters& caller, const PtxFunction& callee,
          const LaneParameters& inner);

}  // namespace ws::simt
