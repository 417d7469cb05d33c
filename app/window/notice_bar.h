#pragma once
// Errors and news at the top of the picture.

#include "app/window/edit.h"
#include "app/window/layout.h"
#include "app/window/notices.h"
#include "gpu/core/snapshot.h"

namespace ws {

void draw_notice_bar(const Layout& layout, const Snapshot& snapshot, const Notices& notices, Edits& edits);

}  // namespace ws
