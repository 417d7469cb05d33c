#pragma once
// What an experiment found out as JSON (docs/json.md), as CSV and as text.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gpu/core/experiment.h"

namespace ws {

[[nodiscard]] nlohmann::ordered_json experiment_json(const Experiment& experiment);
[[nodiscard]] nlohmann::ordered_json outcome_json(const Experiment& experiment, const ControlValues& values,
                                                  int axis, const Outcome& outcome);
// The plots' points, one a line.
[[nodiscard]] std::string outcome_csv(const Experiment& experiment, const Outcome& outcome);
void print_outcome(const Experiment& experiment, const Outcome& outcome);

}  // namespace ws
