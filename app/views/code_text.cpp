#include "app/views/code_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ws {
namespace {

constexpr int kFileLevel = 4;   // columns of a level in the kernels' files
constexpr int kShownLevel = 2;  // and here
constexpr int kLeastColumns = 16;

// Of C++ what kernels use, and what CUDA adds to it. Ascending.
constexpr std::array<std::string_view, 62> kKeywords{"__constant__",
                                                     "__device__",
                                                     "__forceinline__",
                                                     "__global__",
                                                     "__host__",
                                                     "__launch_bounds__",
                                                     "__managed__",
                                                     "__noinline__",
                                                     "__restrict__",
                                                     "__shared__",
                                                     "__syncthreads",
                                                     "__syncwarp",
                                                     "alignas",
                                                     "alignof",
                                                     "asm",
                                                     "auto",
                                                     "bool",
                                                     "break",
                                                     "case",
                                                     "char",
                                                     "class",
                                                     "const",
                                                     "constexpr",
                                                     "continue",
                                                     "decltype",
                                                     "default",
                                                     "delete",
                                                     "do",
                                                     "double",
                                                     "else",
                                                     "enum",
                                                     "extern",
                                                     "false",
                                                     "float",
                                                     "for",
                                                     "goto",
                                                     "half",
                                                     "if",
                                                     "inline",
                                                     "int",
                                                     "long",
                                                     "namespace",
                                                     "new",
                                                     "nullptr",
                                                     "return",
                                                     "short",
                                                     "signed",
                                                     "sizeof",
                                                     "static",
                                                     "static_assert",
                                                     "static_cast",
                                                     "struct",
                                                     "switch",
                                                     "template",
                                                     "true",
                                                     "typedef",
                                                     "typename",
                                                     "union",
                                                     "unsigned",
                                                     "using",
                                                     "void",
                                                     "while"};
static_assert(std::is_sorted(kKeywords.begin(), kKeywords.end()));

bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

bool begins_number(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace

int columns_of(std::string_view text) {
    return int(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

Tokens::Tokens(std::string_view line, bool in_comment) : line_(line), in_comment_(in_comment) {
    const std::size_t first = line.find_first_not_of(" \t");
    directive_ = !in_comment && first != std::string_view::npos && line[first] == '#';
}

std::size_t Tokens::end_of_comment(std::size_t from) const {
    const std::size_t end = line_.find("*/", from);
    return end == std::string_view::npos ? line_.size() : end + 2;
}

std::optional<Token> Tokens::next() {
    if (at_ >= line_.size()) return std::nullopt;
    const std::size_t begin = at_;
    const auto token = [&](std::size_t end, TokenKind kind) {
        at_ = end;
        return Token{end - begin, kind};
    };
    const auto run = [&](auto&& belongs) {
        std::size_t end = begin;
        while (end < line_.size() && belongs(line_[end])) ++end;
        return end;
    };
    if (in_comment_) {
        in_comment_ = false;
        return token(end_of_comment(begin), TokenKind::comment);
    }
    const std::string_view rest = line_.substr(begin);
    if (rest.starts_with("//")) return token(line_.size(), TokenKind::comment);
    if (rest.starts_with("/*")) return token(end_of_comment(begin + 2), TokenKind::comment);
    if (directive_) {
        const std::size_t end = std::min({line_.find("//", begin), line_.find("/*", begin), line_.size()});
        return token(end, TokenKind::directive);
    }
    const char c = line_[begin];
    if (c == '"' || c == '\'') {
        std::size_t end = begin + 1;
        while (end < line_.size() && line_[end] != c) end += line_[end] == '\\' ? 2 : 1;
        return token(std::min(end + 1, line_.size()), TokenKind::text);
    }
    if (begins_number(c))
        return token(run([](char d) { return in_word(d) || d == '.' || d == '\''; }), TokenKind::number);
    if (in_word(c)) {
        const std::size_t end = run(in_word);
        const bool known =
            std::binary_search(kKeywords.begin(), kKeywords.end(), line_.substr(begin, end - begin));
        return token(end, known ? TokenKind::keyword : TokenKind::plain);
    }
    return token(
        std::max(begin + 1, run([](char d) { return !in_word(d) && d != '"' && d != '\'' && d != '/'; })),
        TokenKind::plain);
}

Wrapped::Wrapped(std::string_view line, int columns)
    : line_(line), columns_(std::max(columns, kLeastColumns)) {
    int blanks = 0;
    while (at_ < line.size() && (line[at_] == ' ' || line[at_] == '\t'))
        blanks += line[at_++] == '\t' ? kFileLevel : 1;
    indent_ = std::min(blanks / kFileLevel * kShownLevel + blanks % kFileLevel, columns_ / 2);
}

std::optional<Piece> Wrapped::next() {
    if (at_ >= line_.size()) {
        if (!first_) return std::nullopt;
        first_ = false;  // an empty line has a row, too
        return Piece{line_.size(), 0, indent_, true};
    }
    Piece piece{at_, 0, first_ ? indent_ : std::min(indent_ + kShownLevel, columns_ / 2), first_};
    const int room = columns_ - piece.indent;
    std::size_t end = at_;
    std::size_t blank = 0;  // the last place to break at
    for (int used = 0; end < line_.size(); ++used) {
        if (line_[end] == ' ') blank = end;
        if (used == room) break;
        ++end;
        while (end < line_.size() && continues(line_[end])) ++end;
    }
    if (end < line_.size() && blank > at_) end = blank;
    piece.size = end - at_;
    at_ = end;
    while (at_ < line_.size() && line_[at_] == ' ') ++at_;
    first_ = false;
    return piece;
}

int rows_of(std::string_view line, int columns) {
    Wrapped wrapped(line, columns);
    int rows = 0;
    while (wrapped.next()) ++rows;
    return rows;
}

}  // namespace ws
