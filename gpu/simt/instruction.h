#pragma once
// A decoded instruction and the table of what executes it.
//
// The registers of a warp lie in a frame: one slot for each register, with its 32 lanes side by side (4 bytes
// a lane, 8 for 64-bit registers); 16-bit values are kept zero-extended in 4 bytes; a predicate is one 32-bit
// mask. Constants and special registers are slots like any other, filled beforehand, so that an operand is
// nothing but an offset.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "gpu/core/counters.h"
#include "gpu/simt/ptx.h"

namespace ws::simt {

inline constexpr int kLanes = 32;
inline constexpr std::uint32_t kAllLanes = 0xFFFFFFFFu;

struct Warp;
struct Instruction;
struct Operation;
struct Observed;
struct Detail {};
using Handler = void (*)(Warp&, const Instruction&);
struct Handlers {
    Handler full = nullptr;     // all lanes active
    Handler partial = nullptr;  // any lanes active
};

// What an instruction does to memory. A copy is asynchronous, from global to shared memory.
enum class AccessKind : std::uint8_t { none, read, write, atomic, copy, texture };

// What a suffix asks for.
struct Modifiers {
    bool flush = false;         // .ftz: subnormal floats become 0
    bool saturate = false;      // .sat
    std::uint8_t rounding = 0;  // 0 nearest even, 1 towards zero, 2 down, 3 up
};

struct Instruction {
    Handler full = nullptr;
    Handler partial = nullptr;
    const Observed* observed = nullptr;  // the handlers by observer, from which a launch takes them; or null
    const Operation* operation = nullptr;  // the table's entry, null if it comes from none
    std::int32_t guard = -1;               // offset of the predicate, -1: none
    bool guard_negated = false;
    std::uint8_t weight = 1;  // 0: a helper that is not counted
    Modifiers modifiers;
    AccessKind kind = AccessKind::none;
    Pipe pipe = Pipe::alu;
    std::uint8_t float_operations = 0;
    SlowKind slow = SlowKind::none;
    std::uint8_t further = 0;          // machine instructions beyond the first (machine_cost.h)...
    std::uint8_t further_special = 0;  // ...and those of the XU pipe among them
    std::int32_t d = -1, a = -1, b = -1, c = -1, e = -1;  // offsets into the frame: the result, the sources
    const Detail* detail = nullptr;  // of the kind's type (details.h), null if it has none
    std::int32_t site = 0;           // index among all instructions of the program
    std::int32_t line = 0;
};

// An entry of the table of plain instructions: how its operands are laid out ("d", then sources: 4, 8 or p;
// '-' is none).
struct Operation {
    std::string_view key;     // "add.32", "setp.lt.s32"
    std::string_view layout;  // "444"
    Handler full;
    Handler partial;
    Pipe pipe = Pipe::alu;
    int float_operations = 0;
    const Observed* observed = nullptr;
};

[[nodiscard]] inline const Operation* entry_named(std::string_view key, std::span<const Operation> table) {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [key](const Operation& operation) { return operation.key == key; });
    return found != table.end() ? &*found : nullptr;
}

// Integer, float and comparison instructions in SIMD for this processor's instruction set; null if there is
// none of that name.
[[nodiscard]] const Operation* find_vector_operation(std::string_view key);
// 32-bit floats with any modifiers, in SIMD.
[[nodiscard]] const Operation* find_float_operation(std::string_view key);
// load, load.signed and store, each with .wide for 64-bit registers, and copy (from global to shared memory).
[[nodiscard]] const Operation* find_memory_operation(std::string_view key);
// Everything else, lane by lane.
[[nodiscard]] const Operation* find_scalar_operation(std::string_view key);

}  // namespace ws::simt
