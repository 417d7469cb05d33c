#pragma once
// Floats of 16 bits, IEEE's binary16 (f16) and bfloat16 (bf16): every operation is computed exactly and
// rounded once.

#include <cstdint>

#include "gpu/simt/types.h"

namespace ws::simt {

// Both formats have one NaN here, as the hardware makes it.
inline constexpr std::uint16_t kSmallNan = 0x7FFF;

[[nodiscard]] double small_to_double(std::uint16_t bits, Type format);
[[nodiscard]] std::uint16_t double_to_small(double value, Type format, Rounding rounding);
// a * b + c of numbers of the format, to the nearest, ties to even.
[[nodiscard]] std::uint16_t fused_small(double a, double b, double c, Type format);
// The sign stays.
[[nodiscard]] std::uint16_t flushed_small(std::uint16_t bits, Type format);
[[nodiscard]] bool is_nan_small(std::uint16_t bits, Type format);

}  // namespace ws::simt
