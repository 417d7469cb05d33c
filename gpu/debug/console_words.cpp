#include "gpu/debug/console_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>

#include "gpu/core/numbers.h"

namespace ws::debug {
namespace {

constexpr std::uint64_t kMostCells = 4096;  // that x shows

// What stands behind a '/', and what follows it.
std::pair<std::string, std::string> split_slash(const std::string& text) {
    if (text.empty() || text.front() != '/') return {"", text};
    std::size_t end = 1;
    while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end]))) ++end;
    return {text.substr(1, end - 1), trimmed_word(text.substr(end))};
}

}  // namespace

std::string trimmed_word(const std::string& text) {
    const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    const auto first = std::find_if_not(text.begin(), text.end(), is_blank);
    const auto last = std::find_if_not(text.rbegin(), text.rend(), is_blank).base();
    return first < last ? std::string(first, last) : "";
}

std::vector<std::string> words_in(const std::string& text) {
    std::vector<std::string> made;
    std::istringstream stream(text);
    for (std::string word; stream >> word;) made.push_back(word);
    return made;
}

int whole_number_in(const std::string& text, int low, int high) {
    const std::optional<int> number = parse_number<int>(text);
    if (!number || *number < low || *number > high)
        throw DebugError(fmt::format("'{}' is not a number from {} to {}", text, low, high));
    return *number;
}

std::vector<int> whole_numbers_in(const std::string& text) {
    std::vector<int> made;
    for (const std::string& word : words_in(text)) made.push_back(whole_number_in(word, 0, 1'000'000'000));
    return made;
}

std::string table_of(const std::vector<std::vector<std::string>>& rows, std::string_view sides) {
    std::vector<std::size_t> widths;
    for (const std::vector<std::string>& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string made;
    for (const std::vector<std::string>& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string_view between = i > 0 ? "  " : "";
            if (sides[std::min(i, sides.size() - 1)] == 'r')
                line += fmt::format("{}{:>{}}", between, row[i], widths[i]);
            else
                line += fmt::format("{}{:<{}}", between, row[i], widths[i]);
        }
        made += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return made;
}

void refuse_rest(const std::string& rest) {
    if (!rest.empty()) throw DebugError(fmt::format("Junk at end of arguments: {}", rest));
}

std::vector<std::string> commands_in(const std::string& text) {
    std::vector<std::string> commands;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(';', at), text.size());
        std::string command = trimmed_word(text.substr(at, end - at));
        if (!command.empty()) commands.push_back(std::move(command));
        at = end + 1;
    }
    return commands;
}

std::pair<std::string, std::string> split_condition(const std::string& text) {
    const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    for (std::size_t at = text.find("if"); at != std::string::npos; at = text.find("if", at + 1)) {
        const bool before = at == 0 || is_blank(text[at - 1]);
        const bool after = at + 2 == text.size() || is_blank(text[at + 2]) || text[at + 2] == '(';
        if (!before || !after) continue;
        const std::string condition = trimmed_word(text.substr(at + 2));
        if (condition.empty()) throw DebugError("a condition is missing behind 'if'");
        return {trimmed_word(text.substr(0, at)), condition};
    }
    return {text, ""};
}

FormattedText split_format(const std::string& text) {
    const auto [letters, rest] = split_slash(text);
    FormattedText made;
    made.text = rest;
    for (const char letter : letters) {
        if (letter == 'w')
            made.whole_warp = true;
        else if (std::string("xdutcf").find(letter) != std::string::npos && made.letter == 0)
            made.letter = letter;
        else
            throw DebugError(
                fmt::format("'/{}' is no format: w (all lanes of the warp) and one of x d u t c f", letters));
    }
    return made;
}

ExamineFormat split_examine(const std::string& text) {
    const auto [letters, rest] = split_slash(text);
    ExamineFormat made;
    made.text = rest;
    std::size_t at = 0;
    while (at < letters.size() && std::isdigit(static_cast<unsigned char>(letters[at]))) ++at;
    if (at > 0) {
        const std::optional<std::uint64_t> count = parse_number<std::uint64_t>(letters.substr(0, at));
        if (!count || *count < 1 || *count > kMostCells)
            throw DebugError(fmt::format("x shows 1 to {} at a time", kMostCells));
        made.count = *count;
    }
    for (; at < letters.size(); ++at) {
        const char letter = letters[at];
        if (const std::size_t size = std::string("bhwg").find(letter); size != std::string::npos)
            made.bytes = std::uint64_t(1) << size;
        else if (std::string("xdutcfi").find(letter) != std::string::npos)
            made.letter = letter;
        else
            throw DebugError(
                fmt::format("'/{}' is no format: a count, one of x d u t c f i, one of b h w g", letters));
    }
    return made;
}

Coordinates coordinates_in(const std::string& text) {
    std::string plain = text;
    std::replace_if(
        plain.begin(), plain.end(), [](char c) { return c == '(' || c == ')' || c == ','; }, ' ');
    Coordinates made;
    for (const std::string& word : words_in(plain)) {
        if (std::isdigit(static_cast<unsigned char>(word.front()))) {
            if (made.empty()) throw DebugError("what is it a number of? block, thread, warp or lane");
            made.back().second.push_back(whole_number_in(word, 0, 1'000'000'000));
            continue;
        }
        if (word != "block" && word != "thread" && word != "warp" && word != "lane")
            throw DebugError(fmt::format("\"{}\" is not one of block, thread, warp and lane", word));
        made.emplace_back(word, std::vector<int>());
    }
    for (const auto& [what, numbers] : made) {
        const std::size_t most = what == "block" || what == "thread" ? 3 : 1;
        if (numbers.empty() || numbers.size() > most)
            throw DebugError(fmt::format("{} takes {}", what, most == 3 ? "1 to 3 coordinates" : "a number"));
    }
    return made;
}

}  // namespace ws::debug
