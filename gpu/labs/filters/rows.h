#pragma once
// The pipeline on single rows, in SIMD for the best instruction set of this CPU.
//
// Rows are processed in whole vectors: a row of n pixels lies in a buffer of row_bytes(n) elements with
// kRowMargin elements before its first pixel, where a neighbour outside the picture is read as 0. Everything
// is fastest where buffers are aligned to kRowAlignment bytes.

#include <cstddef>
#include <cstdint>

namespace ws::filters::rows {

inline constexpr std::size_t kRowMargin = 256;
inline constexpr std::size_t kRowAlignment = 128;
[[nodiscard]] constexpr std::size_t row_bytes(std::size_t pixels) {
    return (pixels + 2 * kRowMargin + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
}

// RGBA to gray. Reads 4 * n bytes exactly; may write up to kRowMargin bytes behind the row.
void gray(const std::uint8_t* rgba, std::uint8_t* row, std::size_t n);

// What the blur keeps from row to row: sums along the row, weighted 1 2 3 4 3 2 1; sums of four of these down
// the column; sums of four of those. All 0 before the first row. Their order within a row is the blur's own.
struct BlurSums {
    std::uint16_t* row;                // in: four rows ago; out: this row
    const std::uint16_t* four_before;  // of the row before
    std::uint16_t* four;               // in: four rows ago; out: this row
    std::uint16_t* total;              // in: the row before; out: this row
};
// Takes a row of pixels in and gives the blurred row three above it.
void blur(const std::uint8_t* row, const BlurSums& sums, std::uint8_t* out, std::size_t n);

// The length of the Sobel gradient from three rows.
void edge(const std::uint8_t* above, const std::uint8_t* row, const std::uint8_t* below, std::uint8_t* out,
          std::size_t n);

}  // namespace ws::filters::rows
