#pragma once
// The walk through all versions that measures each.

#include "app/window/edit.h"
#include "gpu/core/snapshot.h"

namespace ws {

// While view.measuring_from is set: on to the next version once the one of `work` has its times or cannot
// have any, and after the last back to where the walk began.
void update_tour(const Snapshot& snapshot, const Work& work, const ViewState& view, Edits& edits);

}  // namespace ws
