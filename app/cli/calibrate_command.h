#pragma once
// warpscope calibrate: measures a GPU's latencies, rates and bandwidths by microbenchmarks, and keeps them
// for its estimates.

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/options.h"
#include "gpu/core/calibration.h"

namespace ws {

// Throws Error where there is no GPU, or nothing of what was measured can be believed.
void calibrate_command(const Options& options);

// Where a person's calibrations lie; empty: nowhere.
[[nodiscard]] std::filesystem::path calibration_folder();
// What lies there; broken files are left out.
[[nodiscard]] std::vector<Calibration> own_calibrations();
// Why, a line for each of these.
[[nodiscard]] std::vector<std::string> broken_calibrations();

}  // namespace ws
