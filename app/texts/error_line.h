#pragma once
// Errors are made as one English line by boxes that know no languages: "what, where: what to do" (Error, in
// gpu/core/error.h), and travel as that line between threads. Where the window shows one, it is taken apart
// again by the patterns that the language has translations for.

#include <string_view>
#include <vector>

namespace ws {

// The line in the window's language, of this frame: each of its parts that is a text or pattern of the
// language's file is said in it, with the values where they go; what is none (a path, a compiler's words)
// stays as it is.
[[nodiscard]] std::string_view said_line(std::string_view english);

// The English texts with places for values ("{}") that the language now spoken has in its file; none in
// English.
[[nodiscard]] const std::vector<std::string_view>& patterns();

}  // namespace ws
