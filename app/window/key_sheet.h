#pragma once
// All keys in a window of their own.

#include "app/window/edit.h"

namespace ws {

void draw_key_sheet(Theme theme, Edits& edits);

}  // namespace ws
