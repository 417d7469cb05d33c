#include "gpu/compile/source_text.h"

#include <algorithm>
#include <cctype>

namespace ws {
namespace {

class Blanker {
  public:
    explicit Blanker(std::string_view text) : text_(text), code_(text) {}

    std::string run() {
        while (at_ < text_.size()) {
            if (starts("//")) {
                blank_until(end_of_line());
            } else if (starts("/*")) {
                const std::size_t end = text_.find("*/", at_ + 2);
                blank_until(end == std::string_view::npos ? text_.size() : end + 2);
            } else if (starts("R\"") && !in_word()) {
                raw_literal();
            } else if (text_[at_] == '"' || (text_[at_] == '\'' && !in_word())) {
                literal(text_[at_]);
            } else {
                ++at_;
            }
        }
        return std::move(code_);
    }

  private:
    [[nodiscard]] bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }
    // An apostrophe after a digit or letter separates digits; u8"..." and L"..." are literals like others.
    [[nodiscard]] bool in_word() const {
        return at_ > 0 && (std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) || text_[at_ - 1] == '_');
    }
    // A backslash before the end continues the line.
    [[nodiscard]] std::size_t end_of_line() const {
        std::size_t end = std::min(text_.find('\n', at_), text_.size());
        while (end < text_.size() && (text_[end - 1] == '\\' || text_.substr(end - 2, 2) == "\\\r"))
            end = std::min(text_.find('\n', end + 1), text_.size());
        return end;
    }
    void blank_until(std::size_t end) {
        for (; at_ < end; ++at_) {
            if (text_[at_] != '\n' && text_[at_] != '\r') code_[at_] = ' ';
        }
    }
    // An unclosed one ends with its line, as a preprocessor takes it in text that is left out.
    void literal(char quote) {
        std::size_t end = at_ + 1;
        while (end < text_.size() && text_[end] != quote && text_[end] != '\n')
            end += text_[end] == '\\' && end + 1 < text_.size() ? 2 : 1;
        ++at_;
        blank_until(std::min(end, text_.size()));
        if (at_ < text_.size() && text_[at_] == quote) ++at_;
    }
    void raw_literal() {
        const std::size_t open = text_.find('(', at_);
        constexpr std::size_t kLongestMark = 16;
        if (open == std::string_view::npos || open - at_ - 2 > kLongestMark) {
            ++at_;
            return;
        }
        const std::string close = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
        const std::size_t end = text_.find(close, open);
        at_ += 2;
        blank_until(end == std::string_view::npos ? text_.size() : end + close.size() - 1);
        if (at_ < text_.size()) ++at_;
    }

    std::string_view text_;
    std::string code_;
    std::size_t at_ = 0;
};

}  // namespace

std::string code_of(std::string_view text) {
    return Blanker(text).run();
}

}  // namespace ws
