#pragma once
// Which line of the kernel's source the instructions of PTX belong to, by its .loc directives.

#include <map>
#include <utility>

#include "gpu/simt/ptx_reader.h"

namespace ws::simt {

class PtxLines {
  public:
    void begin_function() { line_ = 0; }
    // What follows ".loc": "1 34 5", perhaps with ", function_name label, inlined_at 1 12 3". The line of an
    // inlined function of the same file counts for itself; line 0 says nothing and leaves the one before.
    void read(PtxReader& reader);

    [[nodiscard]] int line() const { return line_; }  // 0: not known
    [[nodiscard]] bool inlined() const { return file_ != main_file_; }

  private:
    void take(int file, int line, int outer_file, int outer_line);

    int line_ = 0;
    int file_ = 0;
    int main_file_ = 0;  // the first that a function names
    // Lines of the main file, by file and line inlined there.
    std::map<std::pair<int, int>, int> called_from_;
};

}  // namespace ws::simt
