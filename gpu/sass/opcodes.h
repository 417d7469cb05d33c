#pragma once
// What is known of each opcode: one row each. A capability, an opcode: add a row.

#include <span>
#include <string_view>

#include "gpu/core/machine_code.h"

namespace ws {

// How wide an access is, if at all.
enum class WidthCode : std::uint8_t {
    none,
    memory,       // bits 73 to 75: u8, s8, u16, s16, 32, 64, 128 bits
    copy,         // the same; from 10.0 on in bits 74 to 76
    atomic,       // bits 73 to 75, from 9.0 on 73 to 76: a type
    atomic_float  // bits 73 to 76, from 9.0 on
};

// Which of the operands a, b and c are registers if none is a constant (form 1): in bits 24 to 31, 32 to 39
// and 64 to 71. A constant or a uniform register stands in the middle ones; then b is where c was, or absent.
// A shuffle's constants may stand in b and c both.
enum class OperandPlaces : std::uint8_t { none, b, ab, ac, abc, shuffle };
// Those of 64 bits, two registers.
enum class WideOperands : std::uint8_t { none, c, all };

struct OpcodeRow {
    int base = 0;  // bits 0 to 8; bits 9 to 11 say where operands come from
    std::string_view name;
    MachinePipe pipe = MachinePipe::unknown;
    MachineKind kind = MachineKind::arithmetic;
    MemorySpace space = MemorySpace::none;
    WidthCode width = WidthCode::none;
    int first = 75, last = 121;                 // capabilities
    int form = -1;                              // bits 9 to 11, where they tell instructions apart
    OperandPlaces reads = OperandPlaces::none;  // of accesses the kind says it
    WideOperands wide = WideOperands::none;
    int passes = 1;
};

[[nodiscard]] std::span<const OpcodeRow> opcode_rows();
// Null: not known.
[[nodiscard]] const OpcodeRow* opcode_row(int opcode, int architecture);
// The row's pipe on this GPU: FP16 went to the FMA pipe with 8.6, integer products to its heavy half.
[[nodiscard]] MachinePipe pipe_of(const OpcodeRow& row, int architecture);

}  // namespace ws
