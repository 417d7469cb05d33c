#pragma once
// The columns of panels, and over them the buttons for those who do not know the keys.

#include "app/window/edit.h"
#include "app/window/layout.h"
#include "gpu/core/snapshot.h"

namespace ws {

void draw_columns(const Layout& layout, const Snapshot& snapshot, const ViewState& view, Edits& edits);

}  // namespace ws
