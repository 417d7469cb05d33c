#pragma once
// A kernel's text line by line beside the baseline's.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ws {

enum class LineChange : std::uint8_t { same, added, removed };

struct SourceLine {
    LineChange change = LineChange::same;
    int number = 0;                   // from 1, in the kernel's text; of a removed line in the baseline's
    int before = 0;                   // where the same line stands in the baseline's text; 0: nowhere
    int counted = 0;                  // and in the text that the counts are of
    std::size_t begin = 0, size = 0;  // of its letters, in the text that `number` is of
    bool in_comment = false;          // it begins within a comment of several lines
};

struct SourceLines {
    // What it is made of; where there is no baseline, `before` is empty and no line has changed.
    std::string text, before, counted;
    std::string before_name;  // of the baseline's file, "blur_g1"
    bool changed = false;     // some line is added or removed
    std::vector<SourceLine> lines;

    [[nodiscard]] std::string_view of(const SourceLine& line) const {
        const std::string_view all = line.change == LineChange::removed ? before : text;
        return all.substr(line.begin, line.size);
    }
};

// The text that counts are of: an edited one may differ from what is on the disk now.
struct CountedSource {
    std::string name, text;
    std::int64_t saved_at = 0;  // as KernelSource has it
};

}  // namespace ws
