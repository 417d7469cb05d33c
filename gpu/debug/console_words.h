#pragma once
// The words of a debugger's command: numbers, formats, coordinates. All throw DebugError for others.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/debug/expression.h"

namespace ws::debug {

[[nodiscard]] std::string trimmed_word(const std::string& text);
[[nodiscard]] std::vector<std::string> words_in(const std::string& text);
[[nodiscard]] int whole_number_in(const std::string& text, int low, int high);
// "1 2 3", from 0 on.
[[nodiscard]] std::vector<int> whole_numbers_in(const std::string& text);
// Rows of cells, columns as wide as their longest one, two blanks between them. `sides`: of each column 'l'
// or 'r', where it begins or ends in line; the last also of those that follow.
[[nodiscard]] std::string table_of(const std::vector<std::vector<std::string>>& rows, std::string_view sides);
void refuse_rest(const std::string& rest);

// "break 14; run": the commands, one after the other.
[[nodiscard]] std::vector<std::string> commands_in(const std::string& text);

// "12 if i > 3": the place and the condition.
[[nodiscard]] std::pair<std::string, std::string> split_condition(const std::string& text);

// "/wx part[t]"
struct FormattedText {
    bool whole_warp = false;
    char letter = 0;
    std::string text;
};
[[nodiscard]] FormattedText split_format(const std::string& text);

// "/8xw &part[0]"
struct ExamineFormat {
    std::uint64_t count = 1;
    char letter = 'x';
    std::uint64_t bytes = 4;
    std::string text;
};
[[nodiscard]] ExamineFormat split_examine(const std::string& text);

// "block (1,2) thread 3": block, thread, warp or lane, each with one to three numbers.
using Coordinates = std::vector<std::pair<std::string, std::vector<int>>>;
[[nodiscard]] Coordinates coordinates_in(const std::string& text);

}  // namespace ws::debug
