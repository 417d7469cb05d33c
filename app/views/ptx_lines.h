#pragma once
// The instructions of a kernel's PTX that come from one line of its source.

#include <array>
#include <optional>
#include <string_view>

namespace ws {

// One after the other, by .loc; those of a function from another file belong to the line that calls it.
class PtxLines {
  public:
    PtxLines(std::string_view ptx, int line) : ptx_(ptx), line_(line) {}
    // Without the blanks before it, and with blanks for tabs; until the next call.
    [[nodiscard]] std::optional<std::string_view> next();

  private:
    void take_location(std::string_view location);
    std::string_view ptx_;
    int line_;
    std::size_t at_ = 0;
    int main_file_ = 0;  // of the first .loc
    std::array<char, 512> written_{};
    int now_ = 0;  // line of the instructions that follow
};

}  // namespace ws
