#include "gpu/analysis/estimate_error.h"

#include <algorithm>

namespace ws {
namespace {

constexpr ComputeCapability kFirst{1, 0}, kLastTesla{1, 3}, kFermi{2, 0}, kLastKepler{3, 7}, kMaxwell{5, 0},
    kLastVolta{7, 2}, kTuring{7, 5}, kAny{99, 9};

// By the clock, of all versions that were measured.
constexpr EstimateError clocked(std::string_view lab, int times, double mean, double worst) {
    return {lab, kTuring, kAny, "NVIDIA H200", times, mean, worst, "clock.md", "## Against measured times"};
}

// Times of debug builds tell an order and no error, so the Quadro K2100M has no row.
constexpr EstimateError kErrors[]{
    clocked("filters", 18, 0.06, 1.18),
    clocked("transpose", 10, 0.03, 1.09),
    clocked("global-memory", 10, 0.04, 1.21),
    clocked("banks", 9, 0.06, 1.21),
    clocked("reduction", 11, 0.04, 1.10),
    clocked("divergence", 7, 0.01, 1.03),
    clocked("latency", 10, 0.05, 1.21),
    clocked("registers", 6, 0.03, 1.14),
    clocked("constant", 6, 0.03, 1.05),
    clocked("texture", 7, 0.04, 1.08),
    clocked("matmul", 9, 0.04, 1.08),
    clocked("throughput", 22, 0.03, 1.29),
    {"filters", kMaxwell, kLastVolta, "NVIDIA H200", 17, 0.22, 1.64, "measurements.md", "## Estimated times"},
    {"latency", kMaxwell, kLastVolta, "NVIDIA H200", 10, 0.30, 1.95, "measurements.md",
     "### Latency: copies and chains of 2048 x 2048 words"},
    {"registers", kMaxwell, kLastVolta, "NVIDIA H200", 6, 0.15, 1.60, "measurements.md",
     "### Registers: 4096 x 4096 words"},
    {"transpose", kMaxwell, kLastVolta, "NVIDIA H200", 10, 0.05, 1.10, "transpose.md",
     "## Estimated for the H200"},
    {"transpose", kFirst, kLastTesla, "GTX 280", 10, 0.12, 1.51, "transpose.md",
     "## Memory partitions: the GTX 280"},
    {"transpose", kFermi, kLastKepler, "GTX 560 Ti, GTX 650 Ti, Tesla K40m", 9, 0.56, 3.22, "transpose.md",
     "## The transpose lab of the shared-memory lecture"},
};

}  // namespace

std::span<const EstimateError> estimate_errors() {
    return kErrors;
}

const EstimateError* estimate_error(std::string_view lab, ComputeCapability capability) {
    const auto* found = std::find_if(std::begin(kErrors), std::end(kErrors), [&](const EstimateError& row) {
        return row.lab == lab && capability >= row.from && capability <= row.to;
    });
    return found == std::end(kErrors) ? nullptr : found;
}

}  // namespace ws
