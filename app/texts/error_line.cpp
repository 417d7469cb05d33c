#include "app/texts/error_line.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/texts/texts.h"

namespace ws {
namespace {

// Deep enough for what, where and remedy, each with an error in it.
constexpr int kDeepest = 6;

// The values that a pattern has in a line, in the order of its places; nothing where the line is no such one.
std::optional<std::vector<std::string_view>> values_in(std::string_view line, std::string_view pattern) {
    std::vector<std::string_view> values;
    bool open = false;  // a place whose value ends where the next words begin
    while (true) {
        const std::size_t place = pattern.find("{}");
        const std::string_view words = pattern.substr(0, place);
        const bool last = place == std::string_view::npos;
        if (!open) {
            if (!line.starts_with(words)) return std::nullopt;
            line.remove_prefix(words.size());
        } else if (last) {
            if (!line.ends_with(words)) return std::nullopt;
            values.push_back(line.substr(0, line.size() - words.size()));
            line = {};
        } else {
            const std::size_t at = line.find(words);
            if (at == std::string_view::npos || words.empty()) return std::nullopt;
            values.push_back(line.substr(0, at));
            line.remove_prefix(at + words.size());
        }
        if (last) return line.empty() ? std::optional(values) : std::nullopt;
        open = true;
        pattern.remove_prefix(place + 2);
    }
}

// A word that stands alone may be a file's name.
enum class Words : bool { one, several };

std::string apart(std::string_view line, Words fewest, int depth);

std::optional<std::string> by_pattern(std::string_view line, int depth) {
    std::string_view best;
    std::vector<std::string_view> values;
    for (const std::string_view pattern : patterns()) {
        if (pattern.size() < best.size()) continue;
        auto found = values_in(line, pattern);
        if (!found) continue;
        best = pattern;
        values = std::move(*found);
    }
    if (best.empty()) return std::nullopt;
    std::vector<std::string> own;
    own.reserve(values.size());
    for (const std::string_view value : values) own.push_back(apart(value, Words::one, depth + 1));
    std::string made;
    put_values(
        translated(best), own.size(), [&](std::size_t i) { return std::string_view(own[i]); },
        [&](std::string_view piece) { made += piece; });
    return made;
}

// What a line becomes as a whole; nothing where it is no text and no pattern of the language.
std::optional<std::string> whole(std::string_view line, Words fewest, int depth) {
    if (fewest == Words::several && line.find(' ') == std::string_view::npos) return std::nullopt;
    const std::string_view exact = translated(line);
    if (exact.data() != line.data()) return std::string(exact);
    return by_pattern(line, depth);
}

// Of "what, where: what to do" the parts that are known, from the largest on.
std::string apart(std::string_view line, Words fewest, int depth) {
    if (line.empty() || depth > kDeepest) return std::string(line);
    if (std::optional<std::string> all = whole(line, fewest, depth)) return *all;
    for (const std::string_view between : {std::string_view(": "), std::string_view(", ")}) {
        for (std::size_t at = line.rfind(between); at != std::string_view::npos && at > 0;
             at = line.rfind(between, at - 1)) {
            const std::string_view before = line.substr(0, at);
            const std::string_view after = line.substr(at + between.size());
            if (const auto end = whole(after, Words::several, depth))
                return apart(before, Words::several, depth + 1) + std::string(between) + *end;
            if (const auto begin = whole(before, Words::several, depth))
                return *begin + std::string(between) + apart(after, Words::several, depth + 1);
        }
    }
    return std::string(line);
}

}  // namespace

std::string_view said_line(std::string_view english) {
    return patterns().empty() ? translated(english) : frame_text(apart(english, Words::one, 0));
}

}  // namespace ws
