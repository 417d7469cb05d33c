#pragma once
// The pipeline on single rows, in SIMD for the best instruction set of this CPU.
//
// Rows are processed in whole vectors: a row of n pixels lies in a buffer of row_bytes(n) bytes with
// kRowMargin bytes before its first pixel, where a neighbour outside the picture is read as 0.

#include <cstddef>
#include <cstdint>

namespace ws::rows {

inline constexpr std::size_t kRowMargin = 256;
[[nodiscard]] constexpr std::size_t row_bytes(std::size_t pixels) {
    return pixels + 2 * kRowMargin;
}

// RGBA to gray. Reads 4 * n bytes exactly; may write up to kRowMargin bytes behind the row.
void gray(const std::uint8_t* rgba, std::uint8_t* row, std::size_t n);
// Sums of 7 neighbours along the row, weighted 1 2 3 4 3 2 1: 4080 at most.
void weigh_along(const std::uint8_t* row, std::uint16_t* sums, std::size_t n);
// Seven rows of sums, weighted the same way, divided by 256.
void weigh_across(const std::uint16_t* const sums[7], std::uint8_t* row, std::size_t n);
// The length of the Sobel gradient from three rows.
void edge(const std::uint8_t* above, const std::uint8_t* row, const std::uint8_t* below, std::uint8_t* out,
          std::size_t n);

// The instruction set in use: "AVX2".
[[nodiscard]] const char* instruction_set();

}  // namespace ws::rows
