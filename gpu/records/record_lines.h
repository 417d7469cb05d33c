#pragma once
// Records as lines of text: JSON objects, to which more are appended and which any program can read. What
// many records share stands in a line of its own before them. docs/records.md describes the lines.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/record.h"

namespace ws {

inline constexpr int kRecordSchema = 1;

// Writes records one after the other; a line of what they share only where it changes.
class RecordWriter {
  public:
    // Each line ends with a line feed.
    [[nodiscard]] std::string lines_of(const Record& record);

  private:
    RecordPlace place_;
    bool begun_ = false;
    std::string lab_, view_;
    Extent size_;
    std::vector<std::pair<std::string, std::uint64_t>> kernels_;  // whose text has been told
    std::string check_;
};

// A line that could not be read: it is left out.
struct BadLine {
    int line = 0;  // from 1 on
    std::string why;
};
struct RecordLines {
    std::vector<Record> records;
    std::vector<BadLine> bad;
};
// What a program that was killed left unfinished, or anybody broke, is a bad line; so is all that follows a
// line of another schema. Never throws for what the text says.
[[nodiscard]] RecordLines read_records(std::string_view text);

}  // namespace ws
