#include "app/lecture/lecture_text.h"

#include <algorithm>

#include "gpu/core/error.h"

namespace ws {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Whether bytes are UTF-8 without control characters; what a file has that is no text, or was cut within a
// letter, is not.
bool is_text(std::string_view line) {
    for (std::size_t i = 0; i < line.size();) {
        const auto first = static_cast<unsigned char>(line[i]);
        if (first < 0x20 && first != '\t' && first != '\r') return false;
        const std::size_t length = first < 0x80   ? 1
                                   : first < 0xC2 ? 0
                                   : first < 0xE0 ? 2
                                   : first < 0xF0 ? 3
                                   : first < 0xF5 ? 4
                                                  : 0;
        if (length == 0 || i + length > line.size()) return false;
        for (std::size_t k = 1; k < length; ++k) {
            if ((static_cast<unsigned char>(line[i + k]) & 0xC0) != 0x80) return false;
        }
        i += length;
    }
    return true;
}

// May stand in a step more than once.
bool repeats(std::string_view key) {
    return key == "knob" || key == "set";
}

struct Reader {
    LectureText made;
    int number = 0;
    bool ended = false;

    [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
        throw Error(at_line(made.file, number) + what, "", remedy);
    }

    std::vector<LectureLine>& lines() { return made.steps.empty() ? made.head : made.steps.back().lines; }
    // The value that a line that begins with blanks goes on with.
    LectureLine* latest() {
        if (!lines().empty()) return &lines().back();
        return made.steps.empty() ? nullptr : &made.steps.back().step;
    }

    void take(std::string_view line) {
        ++number;
        if (!is_text(line)) fail("these bytes are no text", "save the file as UTF-8");
        const bool continues = !line.empty() && kBlanks.find(line.front()) != std::string_view::npos;
        line = trimmed(line);
        if (line.empty() || line.front() == '#') return;
        if (ended) fail("a line after 'end'", "'end' is the file's last line");
        if (continues)
            go_on(line);
        else if (line == "end")
            ended = true;
        else
            begin(line);
    }

    void go_on(std::string_view line) {
        LectureLine* before = latest();
        if (!before) fail("a line that begins with blanks goes on with the one before", "there is none");
        before->value += " " + std::string(line);
    }

    void begin(std::string_view line) {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || colon == 0)
            fail("'" + std::string(line) + "' has no key", "write KEY: VALUE");
        const LectureLine one{number, std::string(trimmed(line.substr(0, colon))),
                              std::string(trimmed(line.substr(colon + 1)))};
        if (one.value.empty()) fail("'" + one.key + "' has no value", "leave it out or give it one");
        if (one.key == "step") {
            made.steps.push_back({one, {}});
            return;
        }
        const auto same = [&](const LectureLine& other) { return other.key == one.key; };
        const std::vector<LectureLine>& known = lines();
        const auto found = std::find_if(known.begin(), known.end(), same);
        if (found != known.end() && !repeats(one.key))
            fail("'" + one.key + "' stands here twice",
                 "the first is in line " + std::to_string(found->number));
        lines().push_back(one);
    }
};

}  // namespace

std::string at_line(const std::string& file, int number) {
    return file + ":" + std::to_string(number) + ": ";
}

LectureText read_lecture_text(std::string_view text, const std::string& file) {
    Reader reader;
    reader.made.file = file;
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        reader.take(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    reader.number = std::max(1, reader.number);
    if (!reader.ended) reader.fail("the lecture ends without 'end'", "the file was cut, or its last line");
    if (reader.made.steps.empty()) reader.fail("a lecture without steps", "write at least one 'step: TITLE'");
    return std::move(reader.made);
}

}  // namespace ws
