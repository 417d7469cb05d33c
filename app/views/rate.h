#pragma once
// The rate that a lab is about, where its figure is not the time: the more, the better.

#include <string_view>

#include "gpu/core/figures.h"
#include "gpu/core/snapshot.h"

namespace ws {

// Bytes that must be moved (GB/s), floating-point operations of the definition (TFLOP/s), or operations per
// clock and multiprocessor.
enum class Rate : std::uint8_t { none, bandwidth, arithmetic, operations };
// None, too, of operations per clock where the clock is not known.
[[nodiscard]] Rate shown_rate(const Snapshot& snapshot);
// Of figures whose work took so long; 0 of a lab without one.
[[nodiscard]] double rate(const WorkFigures& figures, double ms);
// "812 GB/s"; "52.1 TFLOP/s, 78 % of the FP32 peak"; "29.8 operations per clock (lecture: 32)".
[[nodiscard]] std::string_view rate_text(const WorkFigures& figures, double ms);
// The figure alone: "812 GB/s", "52.1 TFLOP/s", "29.8 per clock".
[[nodiscard]] std::string_view short_rate(const WorkFigures& figures, double ms);
[[nodiscard]] std::string_view rate_title(Rate rate);  // of a chart
[[nodiscard]] std::string_view rate_tip(Rate rate);    // the key of its tip

}  // namespace ws
