#pragma once
// From which lanes the lanes of a shuffle read, as x86-64 code with AVX-512: of whole warps.

#include <asmjit/x86.h>

#include <array>
#include <cstdint>

#include "gpu/simt/details.h"
#include "gpu/simt/x86_operations.h"

namespace ws::simt {

struct ShuffleSources {
    std::array<std::uint32_t, kLanes> lanes{};
    std::uint32_t inside = 0;  // those whose source lies in their segment; others read from themselves
};
// Where all lanes pass the same two operands.
[[nodiscard]] ShuffleSources shuffle_sources(ShuffleMode mode, std::uint32_t b, std::uint32_t c);

struct ShufflePart {
    asmjit::x86::Assembler& code;
    ConstantPool& constants;
    asmjit::x86::Zmm made;     // the lanes to read from
    asmjit::x86::Zmm b, c;     // the operands
    asmjit::x86::Zmm t, u, v;  // free
    asmjit::x86::KReg inside;
};
// The same of 16 lanes, from operands in registers. Uses k1.
void find_shuffle_sources(const ShufflePart& part, ShuffleMode mode, int index);

}  // namespace ws::simt
