#pragma once
// The text of a lecture as lines, before anybody knows what they mean: what its file says, and where.
// docs/lectures.md describes the format.

#include <string>
#include <string_view>
#include <vector>

namespace ws {

struct LectureLine {
    int number = 0;  // of the line in the file, from 1 on
    std::string key, value;
};
struct LectureStepText {
    LectureLine step;  // its value is the title
    std::vector<LectureLine> lines;
};
struct LectureText {
    std::string file;               // as errors name it
    std::vector<LectureLine> head;  // before the first step
    std::vector<LectureStepText> steps;
};

// What stands before a message about a line: "a.lecture:7: ".
[[nodiscard]] std::string at_line(const std::string& file, int number);

// `file` is what errors call it. Throws Error with the line: no key, no value, a key twice, bytes that are no
// text, no step, or no `end`.
[[nodiscard]] LectureText read_lecture_text(std::string_view text, const std::string& file);

}  // namespace ws
