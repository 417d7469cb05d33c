#pragma once
// The mouse over the picture: dragging pans, the wheel zooms, a double click fits.

#include "app/window/edit.h"
#include "app/window/layout.h"

namespace ws {

void draw_picture_area(const Layout& layout, Extent picture, const Camera& camera, Edits& edits);

}  // namespace ws
