#include "app/texts/texts.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>

#include "gpu/core/embedded_file.h"
#include "gpu/core/error.h"

namespace ws::embedded_texts {
std::span<const EmbeddedFile> files();
}

namespace ws {
namespace {

struct Phrase {
    std::string key, text;
};

// Ascending by key.
std::vector<Phrase> load(std::string_view language) {
    for (const EmbeddedFile& file : embedded_texts::files()) {
        if (file.name != language) continue;
        std::vector<Phrase> phrases;
        const auto json = nlohmann::json::parse(file.text);
        for (const auto& [key, value] : json.items()) phrases.push_back({key, value.get<std::string>()});
        return phrases;
    }
    throw Error("the program lacks the texts of a language", std::string(language));
}

const std::vector<Phrase>& english() {
    static const std::vector<Phrase> kPhrases = load("en.json");
    return kPhrases;
}

Language& language() {
    static Language chosen;
    return chosen;
}

std::string_view in_language(std::string_view key) {
    return language() ? language()(key) : std::string_view();
}

}  // namespace

void use_language(Language chosen) {
    language() = std::move(chosen);
}

std::string_view translated(std::string_view english) {
    const std::string_view own = in_language(english);
    return own.empty() ? english : own;
}

std::string_view said(const Message& message) {
    fmt::memory_buffer made;
    put_values(
        translated(message.pattern()), message.values().size(),
        [&](std::size_t i) { return translated(message.values()[i]); },
        [&](std::string_view piece) { made.append(piece.data(), piece.data() + piece.size()); });
    return frame_text({made.data(), made.size()});
}

std::string_view phrase(std::string_view key) {
    if (const std::string_view own = in_language(key); !own.empty()) return own;
    const std::vector<Phrase>& all = english();
    const auto found =
        std::lower_bound(all.begin(), all.end(), key,
                         [](const Phrase& one, std::string_view wanted) { return one.key < wanted; });
    return found != all.end() && found->key == key ? std::string_view(found->text) : key;
}

std::vector<std::string_view> phrase_keys() {
    std::vector<std::string_view> keys;
    for (const Phrase& one : english()) keys.push_back(one.key);
    return keys;
}

}  // namespace ws
