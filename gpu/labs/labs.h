#pragma once
// The labs: of kernels, and experiments. To add one: a folder here and its line in labs.cpp.

#include <span>
#include <string_view>

#include "gpu/core/experiment.h"
#include "gpu/core/lab.h"

namespace ws {

[[nodiscard]] std::span<const Lab* const> labs();
// Throws UsageError with those that there are.
[[nodiscard]] const Lab& lab_named(std::string_view id);

[[nodiscard]] std::span<const Experiment* const> experiments();
// Null if there is none of the name.
[[nodiscard]] const Experiment* experiment_named(std::string_view id);

}  // namespace ws
