#pragma once
// The rate that a lab is about, with its unit.

#include <string_view>

#include "app/texts/texts.h"
#include "app/views/words.h"
#include "gpu/core/peak.h"

namespace ws {

// "4100 GB/s", "52.1 TFLOP/s, 78 % of the FP32 peak"; empty of a lab whose figure is the time.
[[nodiscard]] inline std::string_view rate_text(const WorkFigures& figures, double ms) {
    const Lab& lab = *figures.work.lab;
    if (lab.bandwidth) return text("{:.0f} GB/s", bandwidth(figures, ms));
    if (!lab.native.float_operations || ms <= 0) return {};
    constexpr double kPerMillisecond = 1e9;  // operations a ms that are a TFLOP/s
    constexpr double kGiga = 1e3;            // of them
    const double rate = lab.native.float_operations(figures.key.input.size) / ms / kPerMillisecond;
    const double peak = peak_gflop_s(figures.key.gpu) / kGiga;
    const std::string_view number = rate < 9.95 ? text("{:.2f}", rate) : text("{:.1f}", rate);
    return peak > 0 ? say("figure.of_peak", number, text("{:.0f}", 100 * rate / peak))
                    : text("{} TFLOP/s", number);
}

}  // namespace ws
