#pragma once
// What a simulated launch counted, as text and as JSON. The keys are documented in docs/json.md and stay.

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "gpu/analysis/estimate.h"
#include "gpu/core/clocked_launch.h"
#include "gpu/core/counters.h"
#include "gpu/core/gpu_profile.h"

namespace ws {

// Whether the counts are of the whole launch.
enum class RunEnd { complete, stopped, interrupted };

struct SimtReport {
    KernelCounters counters;
    ComputeCapability capability;  // of the simulated GPU
    RunEnd end = RunEnd::complete;
    int grid[3] = {1, 1, 1};
    int block[3] = {1, 1, 1};
    std::optional<Estimate> estimate;
    std::shared_ptr<const ClockedLaunch> clocked;  // that the estimate is by; null: by the bounds
    std::string no_estimate;                       // why there is none
    std::vector<std::string> notes;                // what a program must do so that a GPU accepts this launch
    std::string printed;                           // by the kernel
    bool printed_cut = false;                      // there was more
    std::vector<std::string> source_lines;         // of the kernel's text
};

// Without a finding of this severity or a graver one.
[[nodiscard]] bool passes(const SimtReport& report, Severity severity);
[[nodiscard]] nlohmann::ordered_json simt_json(const SimtReport& report);
void print_report(const SimtReport& report);

}  // namespace ws
