#pragma once
// CUDA C++ as text in a column: which of it is a keyword or a comment, and where long lines are wrapped.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ws {

enum class TokenKind : std::uint8_t { plain, keyword, comment, text, number, directive };

struct Token {
    std::size_t size = 0;
    TokenKind kind = TokenKind::plain;
};

// The tokens of one line, one after the other, without gaps: blanks are plain.
class Tokens {
  public:
    // `in_comment`: the line begins within a comment of several lines.
    Tokens(std::string_view line, bool in_comment);
    // None at the line's end.
    [[nodiscard]] std::optional<Token> next();

  private:
    [[nodiscard]] std::size_t end_of_comment(std::size_t from) const;
    std::string_view line_;
    std::size_t at_ = 0;
    bool in_comment_;
    bool directive_;
};

// A part of a line as it stands in one row.
struct Piece {
    std::size_t begin = 0, size = 0;  // in bytes
    int indent = 0;                   // columns before it
    bool first = true;                // else it goes on with the line before
};

// A line in rows of `columns`: broken at blanks where there are any. Levels of 4 blanks are shown as 2.
class Wrapped {
  public:
    Wrapped(std::string_view line, int columns);
    [[nodiscard]] std::optional<Piece> next();

  private:
    std::string_view line_;
    int columns_;
    int indent_ = 0;
    std::size_t at_ = 0;
    bool first_ = true;
};
[[nodiscard]] int rows_of(std::string_view line, int columns);

// Characters of UTF-8.
[[nodiscard]] int columns_of(std::string_view text);

}  // namespace ws
