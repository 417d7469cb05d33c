#pragma once
// `warpscope advise`: what limits the heaviest kernel of a version, and what to try next.

#include <nlohmann/json_fwd.hpp>

#include "app/cli/options.h"
#include "gpu/core/snapshot.h"

namespace ws {

// Throws Error where there are no counts.
void advise_command(const Options& options);
[[nodiscard]] nlohmann::ordered_json advice_json(const Snapshot& snapshot);

}  // namespace ws
