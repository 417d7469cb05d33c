#pragma once
// The words of PTX text.

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace ws::simt {

struct SyntaxError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Token {
    enum class Kind : std::uint8_t { word, number, text, mark, end };
    Kind kind = Kind::end;
    std::string_view text;
    int line = 1;
};

// Splits the text into words ("ld.global.u32", "%r1", "$L__BB0_2"), numbers, strings and single marks.
class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) { advance(); }

    [[nodiscard]] const Token& peek() const { return token_; }
    Token next() {
        const Token token = token_;
        advance();
        return token;
    }

  private:
    static bool starts_word(char c) {
        return std::isalpha(std::uint8_t(c)) || c == '_' || c == '$' || c == '%' || c == '.';
    }
    static bool in_word(char c) { return starts_word(c) || std::isdigit(std::uint8_t(c)); }

    void skip_blanks() {
        while (at_ < text_.size()) {
            if (text_[at_] == '\n') ++line_;
            if (std::isspace(std::uint8_t(text_[at_]))) {
                ++at_;
            } else if (text_.substr(at_, 2) == "//") {
                while (at_ < text_.size() && text_[at_] != '\n') ++at_;
            } else if (text_.substr(at_, 2) == "/*") {
                const std::size_t end = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2;
                for (; at_ < end; ++at_) line_ += text_[at_] == '\n';
            } else {
                return;
            }
        }
    }

    void advance() {
        skip_blanks();
        std::size_t end = at_ + 1;
        token_.line = line_;
        if (at_ >= text_.size() || text_[at_] == '\0') {
            token_ = {Token::Kind::end, {}, line_};
            return;
        }
        const char c = text_[at_];
        if (starts_word(c)) {
            token_.kind = Token::Kind::word;
            while (end < text_.size() && in_word(text_[end])) ++end;
        } else if (std::isdigit(std::uint8_t(c))) {
            token_.kind = Token::Kind::number;
            while (end < text_.size() && std::isalnum(std::uint8_t(text_[end]))) ++end;
        } else if (c == '"') {
            token_.kind = Token::Kind::text;
            while (end < text_.size() && text_[end] != '"') ++end;
            if (end < text_.size()) ++end;
        } else {
            token_.kind = Token::Kind::mark;
        }
        token_.text = text_.substr(at_, end - at_);
        at_ = end;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 1;
    Token token_;
};

}  // namespace ws::simt
