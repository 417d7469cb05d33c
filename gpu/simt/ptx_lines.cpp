#include "gpu/simt/ptx_lines.h"

#include <fmt/format.h>

namespace ws::simt {

void PtxLines::read(PtxReader& reader) {
    const int file = int(reader.integer());
    const int line = int(reader.integer());
    reader.integer();
    int outer_file = file;
    int outer_line = line;
    while (reader.accept(",")) {
        const std::string part = reader.word();
        if (part == "function_name") {
            reader.word();
            if (reader.accept("+")) reader.integer();
        } else if (part == "inlined_at") {
            outer_file = int(reader.integer());
            outer_line = int(reader.integer());
            reader.integer();
        } else {
            reader.fail(fmt::format("'{}' is not known in a .loc", part));
        }
    }
    take(file, line, outer_file, outer_line);
}

void PtxLines::take(int file, int line, int outer_file, int outer_line) {
    if (main_file_ == 0) main_file_ = outer_file;
    if (file != main_file_ && outer_file == main_file_ && outer_line > 0) {
        file_ = main_file_;
        line_ = outer_line;
        called_from_[{file, line}] = outer_line;
    } else if (const auto caller = called_from_.find({outer_file, outer_line});
               file != main_file_ && caller != called_from_.end()) {  // inlined into what was inlined
        file_ = main_file_;
        line_ = caller->second;
        called_from_[{file, line}] = line_;
    } else if (line > 0) {
        file_ = file;
        line_ = line;
    }
}

}  // namespace ws::simt
