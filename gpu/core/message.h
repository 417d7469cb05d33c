#pragma once
// A sentence for a person as its English pattern and its values, so that whoever shows it can say it in
// another language. The English stands where the message is made, and nowhere else.

#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ws {

class Message {
  public:
    Message() = default;
    // A whole sentence: braces in it stay what they are.
    Message(std::string whole) : pattern_(std::move(whole)) {}
    Message(const char* whole) : pattern_(whole) {}
    Message(std::string pattern, std::vector<std::string> values)
        : pattern_(std::move(pattern)), values_(std::move(values)) {}

    // In English, with {} or {0}, {1}... where the values go.
    [[nodiscard]] const std::string& pattern() const { return pattern_; }
    // As they are written; a word among them has a translation of its own.
    [[nodiscard]] const std::vector<std::string>& values() const { return values_; }
    [[nodiscard]] bool empty() const { return pattern_.empty(); }
    friend bool operator==(const Message&, const Message&) = default;

  private:
    std::string pattern_;
    std::vector<std::string> values_;
};

// Puts values into a pattern: calls `put` with one piece after the other. A place for which there is no value
// stays empty; without values the pattern is one piece.
template <typename Value, typename Put>
void put_values(std::string_view pattern, std::size_t count, const Value& value, const Put& put) {
    std::size_t next = 0;
    const std::size_t none = std::string_view::npos;
    for (std::size_t open = count > 0 ? pattern.find('{') : none; open != none; open = pattern.find('{')) {
        const std::size_t close = pattern.find('}', open);
        if (close == none) break;
        put(pattern.substr(0, open));
        std::size_t at = 0;
        for (const char digit : pattern.substr(open + 1, close - open - 1))
            at = digit >= '0' && digit <= '9' ? 10 * at + std::size_t(digit - '0') : count;
        if (close == open + 1) at = next++;
        if (at < count) put(value(at));
        pattern.remove_prefix(close + 1);
    }
    put(pattern);
}

namespace detail {
template <typename Value>
[[nodiscard]] std::string written(const Value& value) {
    if constexpr (std::is_integral_v<Value>)
        return std::to_string(value);
    else
        return std::string(value);
}
}  // namespace detail

// A pattern, which is a literal so that a test finds it, with whole numbers and words.
template <typename... Values>
[[nodiscard]] Message message(const char* pattern, const Values&... values) {
    return {std::string(pattern), std::vector<std::string>{detail::written(values)...}};
}

[[nodiscard]] std::string english(const Message& message);
std::ostream& operator<<(std::ostream& out, const Message& message);  // in English

}  // namespace ws
