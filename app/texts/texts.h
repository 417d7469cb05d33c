#pragma once
// The window's words by key, in the language of the user. A language is a file in assets/texts/; English has
// every key, and stands in where another lacks one.

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/canvas/text.h"
#include "gpu/core/message.h"

namespace ws {

// The text of a key as it is written in the file: with {} where values go. A key that no file has is itself,
// which a test finds.
[[nodiscard]] std::string_view phrase(std::string_view key);
// All keys of the English file, ascending.
[[nodiscard]] std::vector<std::string_view> phrase_keys();

// What the program's other parts say in English: names of quantities, of labs and their versions. Their
// English is the key under which a language's file has its own; English itself has none.
[[nodiscard]] std::string_view translated(std::string_view english);

// The languages that there are files for: "de", "en"; ascending.
[[nodiscard]] const std::vector<std::string>& languages();
// The one of a name; of an empty one that of the locale: LC_ALL, LC_MESSAGES, LANG, the first that is set.
// English where there is none. It lives as long as the program.
[[nodiscard]] std::string_view language_named(std::string_view name);
// Whether its file has a text of its own for a key, or for a text's English.
[[nodiscard]] bool has_text(std::string_view language, std::string_view key);
// What phrases are said in from now on: one of them.
void speak(std::string_view language);

// Where phrases come from: the text of a key, or of a text's English; empty where the language lacks it.
using Language = std::function<std::string_view(std::string_view key)>;
// From now on, for a test of its own; {}: English. Texts that are handed out already stay as they are for the
// frame.
void use_language(Language language);

// A text with its values, of this frame.
template <typename... Args>
[[nodiscard]] std::string_view say(std::string_view key, const Args&... args) {
    if constexpr (sizeof...(Args) == 0)
        return phrase(key);
    else
        return text(fmt::runtime(phrase(key)), args...);
}
// What a part without words for the window reports, of this frame.
[[nodiscard]] std::string_view said(const Message& message);

}  // namespace ws
