#pragma once
// Differences of two kernel texts by lines.

#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/source_lines.h"

namespace ws {

// For each line of `now` the line of `before` that is the same but for blanks at its ends, or -1: a longest
// common subsequence in which long lines weigh more, so that braces do not decide. What is common at both
// ends is taken first; of texts beyond 2000 lines that differ throughout, nothing else is matched.
[[nodiscard]] std::vector<int> same_lines(const std::vector<std::string_view>& now,
                                          const std::vector<std::string_view>& before);

// Shared words of two lines, 0 to 1: names and numbers, by how often they occur.
[[nodiscard]] double likeness(std::string_view a, std::string_view b);

// The lines of `text` with those that it lacks of `before`, each before the line that most likely took its
// place. An empty `before` is no text to compare with. `counted` is the text that counts are of, empty: none.
[[nodiscard]] SourceLines source_lines(std::string text, std::string before, std::string counted);

}  // namespace ws
