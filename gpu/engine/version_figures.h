#pragma once
// Figures of the labs' versions by an engine of their own.

#include <memory>
#include <utility>
#include <vector>

#include "gpu/core/device_session.h"
#include "gpu/core/version_figures.h"
#include "gpu/engine/engine.h"
#include "gpu/engine/sessions.h"

namespace ws {

// What was counted without a GPU, by the work that was asked for: the same every time.
using CountedVersions = std::vector<std::pair<Work, WorkFigures>>;

// On the first GPU of the session: measured where that is one of this machine, else on the simulated one. The
// engine begins with the first work that is asked for. `known` is filled, and asked first; null:
// everything is made anew.
[[nodiscard]] std::unique_ptr<VersionFigures> make_version_figures(
    const SessionOptions& options, const SessionFacts& facts,
    std::shared_ptr<CountedVersions> known = nullptr);

}  // namespace ws
