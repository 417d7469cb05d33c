#pragma once
// Makes x86-64 code with AVX-512 of a program.

#include <asmjit/x86.h>

#include <array>
#include <vector>

#include "gpu/simt/program.h"
#include "gpu/simt/translation.h"

namespace ws::simt {

// Whether this processor executes what the translator makes.
[[nodiscard]] bool has_translated_instructions();
// Emits the code; `first_block` holds the number of each function's first block. Entries are by ForLanes,
// labels of the holder, TranslatedEntries::kNone where there is none.
[[nodiscard]] std::array<TranslatedEntries, 2> translate(const Program& program,
                                                         const std::vector<int>& first_block,
                                                         asmjit::CodeHolder& holder);

}  // namespace ws::simt
