#pragma once
// Values as text, as gdb writes them.

#include <string>

#include "gpu/debug/evaluate.h"

namespace ws::debug {

// "3", "0.25", "65 'A'", "0x700000000000", "{1, 2, 0 <repeats 30 times>}", "{x = 1, y = 2}". `letter`: of a
// format: x hexadecimal, d decimal, u without sign, t binary, c a character, f a float; 0: as the type says.
[[nodiscard]] std::string text_of(const Value& value, const TypeTable& types, const Surroundings& around,
                                  char letter = 0);

}  // namespace ws::debug
