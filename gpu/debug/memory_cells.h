#pragma once
// A piece of memory as cells, and which of them have changed since the stop before.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/debug/console_words.h"
#include "gpu/debug/debugger.h"

namespace ws::debug {

struct MemoryCells {
    std::string text;           // the expression that says where; empty: nothing is known to be looked at
    std::uint64_t address = 0;  // of the first, generic
    std::uint64_t bytes = 4;    // of a cell
    char letter = 'x';          // of their format
    bool elements = false;      // cells are elements of an array, or what a pointer points to
    std::vector<std::string> cells;
    std::vector<bool> changed;  // by cell
    std::string problem;        // why there is none of them, or no further one
};
// As the focus's lane sees it. Throws DebugError for what is no address.
[[nodiscard]] MemoryCells memory_cells(Debugger& debugger, const ExamineFormat& format, int level);

// The memory that is looked at from stop to stop.
class MemoryWatch {
  public:
    void choose(ExamineFormat format) { chosen_ = std::move(format); }
    // It stops here: from now on cells are compared with the stop before.
    void stopped(Debugger& debugger);
    // From the chosen address on; where none is chosen of the first array that the lane sees, else what its
    // first pointer points to. At most kCells, and of an array no more than it has.
    [[nodiscard]] MemoryCells cells(Debugger& debugger, int level) const;
    static constexpr std::uint64_t kCells = 128;

  private:
    struct Kept {
        std::uint64_t block = 0, address = 0;
        Focus focus;
        std::vector<std::byte> bytes;
    };
    [[nodiscard]] std::optional<ExamineFormat> wanted(Debugger& debugger, int level) const;
    [[nodiscard]] MemoryCells current(Debugger& debugger, int level) const;

    std::optional<ExamineFormat> chosen_;
    std::optional<Kept> before_, now_;
};

}  // namespace ws::debug
