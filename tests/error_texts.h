#pragma once
// The English of every error that the window may show, as patterns: read out of the sources, where errors are
// made of literals, fmt::format and sums of both.

#include <array>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/each_source.h"

namespace ws {

// C++ as far as it takes to find the arguments of a call.
class CallReader {
  public:
    explicit CallReader(std::string_view text) : text_(text) {}

    // Of the call whose '(' is at `at`.
    [[nodiscard]] std::vector<std::string_view> arguments(std::size_t at) const {
        const std::size_t end = closing(at);
        return split(text_.substr(at + 1, end - at - 1), ",");
    }

    // At the top level, behind strings and brackets.
    static std::vector<std::string_view> split(std::string_view text, std::string_view at) {
        std::vector<std::string_view> parts;
        std::size_t from = 0;
        int depth = 0;
        for (std::size_t i = 0; i < text.size(); i = next(text, i)) {
            const char c = text[i];
            depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
            const bool scope = c == ':' && (text.substr(i, 2) == "::" || (i > 0 && text[i - 1] == ':'));
            if (depth != 0 || scope || at.find(c) == std::string_view::npos) continue;
            parts.push_back(text.substr(from, i - from));
            from = i + 1;
        }
        parts.push_back(text.substr(from));
        return parts;
    }

  private:
    // Behind the character, string or literal at `i`.
    static std::size_t next(std::string_view text, std::size_t i) {
        const char quote = text[i];
        if (quote != '"' && quote != '\'') return i + 1;
        for (++i; i < text.size() && text[i] != quote; ++i) i += text[i] == '\\';
        return i + 1;
    }
    [[nodiscard]] std::size_t closing(std::size_t open) const {
        int depth = 0;
        for (std::size_t i = open; i < text_.size(); i = next(text_, i)) {
            depth += (text_[i] == '(' || text_[i] == '{') - (text_[i] == ')' || text_[i] == '}');
            if (depth == 0) return i;
        }
        return text_.size();
    }

    std::string_view text_;
};

// Of neighbouring literals; empty where it is something else.
inline std::string literal_of(const std::string& term) {
    static const std::regex kLiterals(
        R"re(\s*(?:(?:std::)?string\()?\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)?\s*)re");
    static const std::regex kPiece(R"re("((?:[^"\\]|\\.)*)")re");
    std::smatch whole;
    if (!std::regex_match(term, whole, kLiterals)) return {};
    const std::string literals = whole[1];
    std::string made;
    for (std::sregex_iterator piece(literals.begin(), literals.end(), kPiece), end; piece != end; ++piece)
        made += std::regex_replace((*piece)[1].str(), std::regex(R"(\\(["'\\]))"), "$1");
    return made;
}

// What an argument says, with {} where values go; of a choice both.
inline std::vector<std::string> patterns_of(std::string_view argument) {
    const std::vector<std::string_view> choices = CallReader::split(argument, "?:");
    if (choices.size() > 1) {
        std::vector<std::string> all;
        for (std::size_t i = 1; i < choices.size(); ++i) {
            for (const std::string& one : patterns_of(choices[i])) all.push_back(one);
        }
        return all;
    }
    static const std::regex kPlace(R"(\{[^{}]*\})");
    std::string made;
    for (const std::string_view term : CallReader::split(argument, "+")) {
        const std::string words = literal_of(std::string(term));
        const std::size_t format = term.find("fmt::format(");
        if (!words.empty()) {
            made += words;
        } else if (format != std::string_view::npos && term.find_first_not_of(" \n") == format) {
            const auto inner = CallReader(term).arguments(term.find('('));
            made += std::regex_replace(literal_of(std::string(inner.front())), kPlace, "{}");
        } else {
            made += "{}";
        }
    }
    return {made};
}

// All of the sources below the folders, but for the words about a text of PTX, which are a compiler's, and
// those of commands that end before a window is there.
inline std::set<std::string> error_patterns() {
    constexpr std::array kFolders{"gpu/core",   "gpu/compile",  "gpu/labs",    "gpu/cuda",
                                  "gpu/simt",   "gpu/analysis", "gpu/records", "gpu/picture",
                                  "gpu/engine", "render",       "app/window"};
    static const std::regex kElsewhere(
        "ptx.*|module.cpp|window_command.cpp|offscreen.cpp|window.cpp|batch.cpp");
    static const std::regex kCall(
        R"re(\b(?:Error|RefusedLaunch|failure|fail|refuse|refuse_damaged)(\()|(?:\.|_)(?:message|reason|problem) = (\b|"))re");
    static const std::regex kWord("[a-z]{3}");
    std::set<std::string> found;
    for (const char* folder : kFolders) {
        for_each_source(folder, [&](const std::filesystem::path& path, const std::string& source) {
            if (path.extension() != ".cpp" || std::regex_match(path.filename().string(), kElsewhere)) return;
            const std::string text = std::regex_replace(source, std::regex("\n *//[^\n]*"), "");
            for (std::sregex_iterator call(text.begin(), text.end(), kCall), end; call != end; ++call) {
                std::vector<std::string_view> said;
                if ((*call)[1].matched) {
                    said = CallReader(text).arguments(std::size_t(call->position(1)));
                } else {
                    const auto from =
                        std::size_t(call->position(0) + call->length(0)) - ((*call)[2].length() > 0);
                    said = {std::string_view(text).substr(from, text.find(";\n", from) - from)};
                }
                for (const std::string_view one : said) {
                    for (const std::string& pattern : patterns_of(one)) {
                        if (std::regex_search(pattern, kWord) && pattern.find(' ') != std::string::npos)
                            found.insert(pattern);
                    }
                }
            }
        });
    }
    return found;
}

}  // namespace ws
