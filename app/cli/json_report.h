#pragma once
// Snapshots as JSON; the keys are documented in docs/json.md and stay.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gpu/core/snapshot.h"
#include "gpu/core/ulps.h"

namespace ws {

// Prints JSON to standard output. What is no text in UTF-8 (a file's name may be anything) is replaced.
void print_json(const nlohmann::ordered_json& json);
// A field of a CSV file: what has a comma or a quote stands in quotes.
[[nodiscard]] std::string csv_field(const std::string& text);
[[nodiscard]] nlohmann::ordered_json json_of(const Statistics& statistics);
[[nodiscard]] nlohmann::ordered_json errors_json(const Accuracy& accuracy);
// What computed: its kind and name; of a GPU of this machine which one it is.
[[nodiscard]] nlohmann::ordered_json running_device_json(const DeviceFacts& device);
[[nodiscard]] nlohmann::ordered_json run_json(const Snapshot& snapshot);
[[nodiscard]] nlohmann::ordered_json occupancy_json(const Snapshot& snapshot, int step);
[[nodiscard]] nlohmann::ordered_json versions_json(const Lab& lab);
[[nodiscard]] nlohmann::ordered_json lab_json(const Lab& lab);
[[nodiscard]] nlohmann::ordered_json device_json(const DeviceFacts& device);

}  // namespace ws
