#pragma once
// Numbers as a person reads them, and small pieces of text for panels.

#include <fmt/format.h>
#include <imgui.h>

#include <iterator>
#include <string_view>
#include <utility>

#include "gpu/core/statistics.h"

namespace ws {

inline const ImVec4 kDim{0.66f, 0.68f, 0.72f, 1};
inline const ImVec4 kAccent{0.40f, 0.78f, 1.00f, 1};
inline const ImVec4 kGood{0.52f, 0.88f, 0.50f, 1};
inline const ImVec4 kWarning{1.00f, 0.80f, 0.32f, 1};
inline const ImVec4 kBad{1.00f, 0.50f, 0.44f, 1};

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

// The text in lines at most as wide as `width`, in the current font: broken at blanks, and only there. A word
// that is wider has a line of its own.
[[nodiscard]] std::string_view broken_at_blanks(std::string_view text, float width);

// Text that wraps at the panel's edge, at blanks; only a word that is wider than the panel is cut.
void wrapped(std::string_view text);
void wrapped(const ImVec4& color, std::string_view text);

// A wide unit of length: the width of an m in the current font.
[[nodiscard]] float em();

// A row of a two-column table.
void table_row(std::string_view label, std::string_view value);

}  // namespace ws
