#pragma once
// The lectures that labs and experiments quote, and what several of them quote of one.

#include <array>
#include <string_view>

#include "gpu/core/experiment.h"

namespace ws {

inline constexpr std::string_view kEfficientProgramming = "lecture, Efficient CUDA programming";
inline constexpr std::string_view kHardwarePerformance = "lecture, GPU Hardware Performance";

// Effective bandwidth that is good for a kernel, as a share of the theoretical one.
inline constexpr std::array<QuotedFigure, 2> kGoodBandwidth{
    {{"good for a memory-bound kernel, from", 70, "%", kEfficientProgramming},
     {"good for a memory-bound kernel, to", 75, "%", kEfficientProgramming}}};

}  // namespace ws
