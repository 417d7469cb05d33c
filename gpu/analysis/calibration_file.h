#pragma once
// Calibrations as files: JSON, one GPU each. What a person has measured lies in a folder, what the program
// brings along is part of it. Files are untrusted input.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/calibration.h"
#include "gpu/core/error.h"

namespace ws {

[[nodiscard]] std::string calibration_text(const Calibration& calibration);
// The failure says what is wrong with the text.
[[nodiscard]] Result<Calibration> read_calibration(std::string_view text);

struct Calibrations {
    std::vector<Calibration> all;
    std::vector<std::string> problems;  // of files that are left out, a line each
};
// Of the files *.json of a folder, by name; none where there is no folder.
[[nodiscard]] Calibrations read_calibrations(const std::filesystem::path& folder);
// Throws Error if one of them is broken.
[[nodiscard]] std::vector<Calibration> shipped_calibrations();

// "nvidia-h200-9.0.json"
[[nodiscard]] std::string calibration_file_name(const Calibration& calibration);

}  // namespace ws
