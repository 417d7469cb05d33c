#pragma once
// Snapshots as JSON; the keys are documented in docs/json.md and stay.

#include <nlohmann/json_fwd.hpp>

#include "gpu/core/snapshot.h"

namespace ws {

[[nodiscard]] nlohmann::ordered_json json_of(const Statistics& statistics);
[[nodiscard]] nlohmann::ordered_json run_json(const Snapshot& snapshot);
[[nodiscard]] nlohmann::ordered_json occupancy_json(const Snapshot& snapshot, Stage stage);
[[nodiscard]] nlohmann::ordered_json versions_json(const Snapshot& snapshot);
[[nodiscard]] nlohmann::ordered_json device_json(const DeviceFacts& device);

}  // namespace ws
