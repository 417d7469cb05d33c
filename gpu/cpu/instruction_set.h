#pragma once

namespace ws {

// The best instruction set of this CPU that the program is compiled for: "AVX2".
[[nodiscard]] const char* instruction_set();

}  // namespace ws
