#pragma once
// The functions that kernels call and that have no code of their own: the GPU's system has them.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "gpu/simt/instruction.h"

namespace ws::simt {

// Its instruction has a SystemCall.
struct BuiltInCall {
    std::string_view name;
    std::array<std::uint8_t, 5> parameters;  // bytes of each; 0: no more
    std::uint8_t result;                     // bytes; 0: none
    const Observed* handlers;
    bool uses_heap = false;
    bool launches = false;  // kernels; their parameters lie on the heap
};

[[nodiscard]] std::span<const BuiltInCall> built_in_calls();
// Null if there is none of that name.
[[nodiscard]] const BuiltInCall* built_in_named(std::string_view name);

}  // namespace ws::simt
