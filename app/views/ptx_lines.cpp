#include "app/views/ptx_lines.h"

#include <algorithm>
#include <charconv>

namespace ws {
namespace {

// Takes a whole number and the blanks before it off the text.
int take_number(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    int number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(std::size_t(end - text.data()));
    return number;
}

}  // namespace

// ".loc 1 34 5", perhaps with ", function_name label, inlined_at 1 12 3".
void PtxLines::take_location(std::string_view location) {
    const std::string_view all = location;
    int file = take_number(location);
    int line = take_number(location);
    constexpr std::string_view kCaller = "inlined_at";
    int outer_file = file;
    int outer_line = line;
    if (const std::size_t at = all.find(kCaller); at != std::string_view::npos) {
        std::string_view caller = all.substr(at + kCaller.size());
        outer_file = take_number(caller);
        outer_line = take_number(caller);
    }
    if (main_file_ == 0) main_file_ = outer_file;
    if (file != main_file_ && outer_file == main_file_) {
        file = outer_file;
        line = outer_line;
    }
    if (file == main_file_ && line > 0) now_ = line;
}

std::optional<std::string_view> PtxLines::next() {
    while (at_ < ptx_.size()) {
        const std::size_t end = std::min(ptx_.find('\n', at_), ptx_.size());
        std::string_view line = ptx_.substr(at_, end - at_);
        at_ = end + 1;
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first == std::string_view::npos) continue;
        line.remove_prefix(first);
        constexpr std::string_view kLocation = ".loc";
        if (line.starts_with(kLocation)) {
            take_location(line.substr(kLocation.size()));
            continue;
        }
        const bool instruction = line.front() != '.' && line.front() != '/' && line.front() != '{' &&
                                 line.front() != '}' && line.front() != '$' && line.front() != '\0';
        if (!instruction || line_ <= 0 || now_ != line_) continue;
        // Every letter takes a column, also the tab before the operands.
        if (line.size() > written_.size()) return line;
        std::replace_copy(line.begin(), line.end(), written_.begin(), '\t', ' ');
        return std::string_view(written_.data(), line.size());
    }
    return std::nullopt;
}

}  // namespace ws
