#pragma once
// What a simulated launch counted, as text and as JSON. The keys are documented in docs/json.md and stay.

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "gpu/analysis/estimate.h"
#include "gpu/core/counters.h"

namespace ws {

struct SimtReport {
    KernelCounters counters;
    int grid[3] = {1, 1, 1};
    int block[3] = {1, 1, 1};
    std::optional<Estimate> estimate;
    std::vector<std::string> source_lines;  // of the kernel's text
};

[[nodiscard]] nlohmann::ordered_json simt_json(const SimtReport& report);
void print_report(const SimtReport& report);

}  // namespace ws
