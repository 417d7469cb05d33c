#pragma once
// How far estimated times have been off where somebody measured them: the one table, with what was measured
// on what.

#include <span>
#include <string_view>

#include "gpu/core/gpu_profile.h"

namespace ws {

// Of a lab's kernels on GPUs from one capability to another, whose times are estimated by the same rules.
struct EstimateError {
    std::string_view lab;
    ComputeCapability from, to;
    std::string_view measured_on;  // GPUs of the table
    int times = 0;                 // that were compared
    double mean = 0;               // of |estimated / measured - 1|
    double worst = 1;              // the larger of estimated / measured and its inverse, of all of them
    // A file of docs and a heading in it, below which the times stand.
    std::string_view file, heading;
};
[[nodiscard]] std::span<const EstimateError> estimate_errors();
// Null where nobody has measured anything of the kind.
[[nodiscard]] const EstimateError* estimate_error(std::string_view lab, ComputeCapability capability);

}  // namespace ws
