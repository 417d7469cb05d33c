#pragma once
// The window's words by key, in the language of the user. A language is a file in assets/texts/; English has
// every key, and stands in where another lacks one.

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "app/canvas/text.h"

namespace ws {

// The text of a key as it is written in the file: with {} where values go. A key that no file has is itself,
// which a test finds.
[[nodiscard]] std::string_view phrase(std::string_view key);
// All keys of the English file, ascending.
[[nodiscard]] std::vector<std::string_view> phrase_keys();

// A text with its values, of this frame.
template <typename... Args>
[[nodiscard]] std::string_view say(std::string_view key, const Args&... args) {
    if constexpr (sizeof...(Args) == 0)
        return phrase(key);
    else
        return text(fmt::runtime(phrase(key)), args...);
}

}  // namespace ws
