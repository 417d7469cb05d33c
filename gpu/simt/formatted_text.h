#pragma once
// printf as kernels have it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ws::simt {

// Reads so many bytes at an address; nothing where that is not allowed.
using ReadMemory = std::function<std::optional<std::uint64_t>(std::uint64_t address, int bytes)>;

// At most 64 K bytes, up to the 0.
[[nodiscard]] std::string text_at(const ReadMemory& memory, std::uint64_t address);

struct FormattedText {
    std::string text;
    int conversions = 0;
};
// The conversions of C without %n; the arguments lie one after the other, each at its own alignment (CUDA C++
// Programming Guide, "Formatted Output").
[[nodiscard]] FormattedText formatted_text(const ReadMemory& memory, const std::string& format,
                                           std::uint64_t arguments);

}  // namespace ws::simt
