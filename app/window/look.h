#pragma once
// How something looks, as the command line or a lecture says it, as edits.

#include <string>
#include <vector>

#include "app/cli/options.h"
#include "app/window/view_state.h"

namespace ws {

// All but the baseline, which belongs to an input. What is empty stays as it is.
[[nodiscard]] std::vector<ViewEdit> edits_of(const LookOptions& look);

// A version as the baseline of `work`, in its own blocks and knobs, on an input of this name.
[[nodiscard]] Pin baseline_pin(const Work& work, int version, InputKey input, const std::string& input_name);

// Whether something else is looked at than the step of the lecture that is held shows: other work, another
// page, picture or baseline, an experiment, or other `values` of its controls. Without a lecture nothing is.
[[nodiscard]] bool explores(const ViewState& view, const Work& work, const ControlValues& values = {});

}  // namespace ws
