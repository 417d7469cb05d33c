#include "app/texts/texts.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "app/texts/error_line.h"
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

// Of one file; ascending by key.
struct Spoken {
    std::string language;
    std::vector<Phrase> phrases;
    std::vector<std::string_view> patterns;  // of the keys that are English texts
};

// "{} of {}" would fit anything: so much of a pattern has to be its own words.
bool is_pattern(std::string_view key) {
    constexpr std::size_t kFewestLetters = 8;
    std::size_t places = 0;
    for (std::size_t at = key.find("{}"); at != std::string_view::npos; at = key.find("{}", at + 2)) ++places;
    return places > 0 && key.size() >= 2 * places + kFewestLetters;
}

Spoken load(const EmbeddedFile& file) {
    Spoken made{std::string(file.name.substr(0, file.name.find('.'))), {}, {}};
    const auto json = nlohmann::json::parse(file.text);
    for (const auto& [key, value] : json.items()) made.phrases.push_back({key, value.get<std::string>()});
    for (const Phrase& one : made.phrases) {
        if (is_pattern(one.key)) made.patterns.emplace_back(one.key);
    }
    return made;
}

const std::vector<Spoken>& all_spoken() {
    static const std::vector<Spoken> kAll = [] {
        std::vector<Spoken> made;
        for (const EmbeddedFile& file : embedded_texts::files()) made.push_back(load(file));
        std::sort(made.begin(), made.end(),
                  [](const Spoken& a, const Spoken& b) { return a.language < b.language; });
        return made;
    }();
    return kAll;
}

const Spoken* spoken(std::string_view language) {
    const auto& all = all_spoken();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Spoken& one) { return one.language == language; });
    return found == all.end() ? nullptr : &*found;
}

const Spoken& english() {
    static const Spoken* const kEnglish = spoken("en");
    if (!kEnglish) throw Error("the program lacks its English texts");
    return *kEnglish;
}

// Empty where it has none.
std::string_view text_of(const Spoken& language, std::string_view key) {
    const auto& all = language.phrases;
    const auto found =
        std::lower_bound(all.begin(), all.end(), key,
                         [](const Phrase& one, std::string_view wanted) { return one.key < wanted; });
    return found != all.end() && found->key == key ? std::string_view(found->text) : std::string_view();
}

Language& language() {
    static Language chosen;
    return chosen;
}

const std::vector<std::string_view>*& spoken_patterns() {
    static const std::vector<std::string_view>* patterns = nullptr;
    return patterns;
}

std::string_view in_language(std::string_view key) {
    return language() ? language()(key) : std::string_view();
}

// "de" of "de_AT.UTF-8"; empty where nothing is set.
std::string_view language_of_locale() {
    for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
        const char* value = std::getenv(name);
        if (value && *value)
            return std::string_view(value).substr(0, std::string_view(value).find_first_of("_.@"));
    }
    return {};
}

}  // namespace

const std::vector<std::string>& languages() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> made;
        for (const Spoken& one : all_spoken()) made.push_back(one.language);
        return made;
    }();
    return kNames;
}

std::string_view language_named(std::string_view name) {
    const Spoken* found = spoken(name.empty() ? language_of_locale() : name);
    return found ? found->language : english().language;
}

bool has_text(std::string_view language, std::string_view key) {
    const Spoken* found = spoken(language);
    return found && !text_of(*found, key).empty();
}

void speak(std::string_view name) {
    const Spoken* chosen = spoken(name);
    if (!chosen || chosen == &english())
        use_language({});
    else
        use_language([chosen](std::string_view key) { return text_of(*chosen, key); });
    if (chosen && chosen != &english()) spoken_patterns() = &chosen->patterns;
}

void use_language(Language chosen) {
    language() = std::move(chosen);
    spoken_patterns() = nullptr;
}

const std::vector<std::string_view>& patterns() {
    static const std::vector<std::string_view> kNone;
    return spoken_patterns() ? *spoken_patterns() : kNone;
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
    const std::string_view text = text_of(english(), key);
    return text.empty() ? key : text;
}

std::vector<std::string_view> phrase_keys() {
    std::vector<std::string_view> keys;
    for (const Phrase& one : english().phrases) keys.push_back(one.key);
    return keys;
}

}  // namespace ws
