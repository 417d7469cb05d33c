#pragma once
// The words of PTX text.

#include <cctype>
#include <cstdint>
#include <stdexcept>
#include <string>
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

// Splits the text into words ("ld.global.L1::evict_last.u32", "%r1", "$L__BB0_2", of ".reg.b32" first ".reg"
// and then ".b32"), numbers ("12", "0x1F", "0f3F800000", "1.5e-3"), strings and single marks. Throws
// SyntaxError for a comment or a string without an end.
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
    [[nodiscard]] char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }

    [[noreturn]] void no_end(const char* what) const {
        throw SyntaxError("line " + std::to_string(line_) + " of the PTX: " + what + " has no end");
    }

    void skip_blanks() {
        while (at_ < text_.size()) {
            if (text_[at_] == '\n') ++line_;
            if (std::isspace(std::uint8_t(text_[at_]))) {
                ++at_;
            } else if (text_.substr(at_, 2) == "//") {
                while (at_ < text_.size() && text_[at_] != '\n') ++at_;
            } else if (text_.substr(at_, 2) == "/*") {
                const std::size_t end = text_.find("*/", at_ + 2);
                if (end == std::string_view::npos) no_end("a comment");
                for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n';
            } else {
                return;
            }
        }
    }

    // Behind the last character of the word: a directive ends before the next dot, and "::" is part of a
    // suffix.
    [[nodiscard]] std::size_t end_of_word() const {
        std::size_t end = at_ + 1;
        const bool directive = text_[at_] == '.';
        while (true) {
            if (directive && at(end) == '.') return end;
            if (in_word(at(end))) {
                ++end;
            } else if (at(end) == ':' && at(end + 1) == ':' && in_word(at(end + 2))) {
                end += 2;
            } else {
                return end;
            }
        }
    }

    [[nodiscard]] std::size_t end_of_number() const {
        std::size_t end = at_;
        const auto letters = [&] {
            while (std::isalnum(std::uint8_t(at(end)))) ++end;
        };
        letters();
        const bool decimal =
            text_.substr(at_, end - at_).find_first_not_of("0123456789") == std::string_view::npos;
        const bool fraction = decimal && at(end) == '.' && std::isdigit(std::uint8_t(at(end + 1)));
        if (fraction) {
            ++end;
            letters();
        }
        const bool exponent =
            std::tolower(std::uint8_t(text_[end - 1])) == 'e' && (at(end) == '-' || at(end) == '+');
        if (exponent && (fraction || text_.substr(at_, end - at_ - 1).find_first_not_of("0123456789") ==
                                         std::string_view::npos)) {
            ++end;
            letters();
        }
        return end;
    }

    void advance() {
        skip_blanks();
        token_.line = line_;
        // The compiler's text ends with a 0.
        if (text_.find_first_not_of('\0', at_) == std::string_view::npos) {
            token_ = {Token::Kind::end, {}, line_};
            return;
        }
        std::size_t end = at_ + 1;
        const char c = text_[at_];
        if (starts_word(c)) {
            token_.kind = Token::Kind::word;
            end = end_of_word();
        } else if (std::isdigit(std::uint8_t(c))) {
            token_.kind = Token::Kind::number;
            end = end_of_number();
        } else if (c == '"') {
            token_.kind = Token::Kind::text;
            while (at(end) != '"') {
                if (end >= text_.size() || text_[end] == '\n') no_end("a string");
                ++end;
            }
            ++end;
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
