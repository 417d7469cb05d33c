#pragma once
// CUDA C++ as text: what of it is code.

#include <string>
#include <string_view>

namespace ws {

// The text with blanks in place of comments and of what stands in quotes, byte for byte and line for line, so
// that only code is searched and every place stays where it was. Quotes themselves stay.
[[nodiscard]] std::string code_of(std::string_view text);

}  // namespace ws
