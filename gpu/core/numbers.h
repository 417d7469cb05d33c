#pragma once
// Numbers from text, by one rule: all of the text is the number, and the type holds it.

#include <charconv>
#include <optional>
#include <string_view>

namespace ws {

// Decimal digits (for floating-point types also '.' and 'e'), a '-' in front for signed types. Nothing for
// "",
// "+1", " 1", "1x", "0x10" and what does not fit.
template <typename T>
[[nodiscard]] std::optional<T> parse_number(std::string_view text) {
    T value{};
    const char* end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, value);
    if (text.empty() || status != std::errc() || stop != end) return std::nullopt;
    return value;
}

}  // namespace ws
