#pragma once
// Numbers as a person reads them, and small pieces of text for panels.

#include <fmt/format.h>
#include <imgui.h>

#include <iterator>
#include <string_view>
#include <utility>

#include "gpu/core/statistics.h"

namespace ws {

// Text of this frame, which lives until the next one begins: a steady frame allocates nothing for it. A null
// character follows it.
[[nodiscard]] std::string_view frame_text(std::string_view made);
template <typename... Args>
[[nodiscard]] std::string_view text(fmt::format_string<Args...> format, Args&&... args) {
    fmt::memory_buffer made;
    fmt::format_to(std::back_inserter(made), format, std::forward<Args>(args)...);
    return frame_text({made.data(), made.size()});
}
// Forgets the texts of the previous frame.
void begin_frame_texts();

[[nodiscard]] std::string_view time_text(double ms);  // "104.9 µs", "12.35 ms"

// Where the word ends that begins at `from`, and where a line may break: "83 %", "32 × 4" and "8 x 8" are
// one.
[[nodiscard]] std::size_t end_of_word(std::string_view text, std::size_t from);
// The text in lines at most as wide as `width`, in the current font: broken at blanks, and only there. A word
// that is wider has a line of its own.
[[nodiscard]] std::string_view broken_at_blanks(std::string_view text, float width);

// Text that wraps at the panel's edge, at blanks; only a word that is wider than the panel is cut.
void wrapped(std::string_view text);
void wrapped(const ImVec4& color, std::string_view text);

// A wide unit of length: the width of an m in the current font.
[[nodiscard]] float em();

}  // namespace ws
