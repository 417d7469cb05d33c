#pragma once
// Over what the curves of all versions go: the size, in a lab that has sizes, or a knob of the kernels that
// run.

#include <optional>
#include <string_view>

#include "app/window/view_state.h"
#include "gpu/core/snapshot.h"

namespace ws {

// The knob of the kernels that run, the first of the name; null if none has it.
[[nodiscard]] const Knob* shown_knob(const Snapshot& snapshot, std::string_view name);
// Its value in force: what a person, the version or the kernel's file says.
[[nodiscard]] std::optional<int> knob_value(const Snapshot& snapshot, std::string_view name);

// What can be chosen for what is shown, in the order of the buttons: the size, then each knob once.
[[nodiscard]] int axis_count(const Snapshot& snapshot);
[[nodiscard]] SweepOver axis_at(const Snapshot& snapshot, int place);
// The one that was chosen, which another version may have; else the first that there is. None: there is none.
[[nodiscard]] std::optional<SweepOver> curve_axis(const ViewState& view, const Snapshot& snapshot);

}  // namespace ws
