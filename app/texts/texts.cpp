#include "app/texts/texts.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

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

}  // namespace

std::string_view phrase(std::string_view key) {
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
