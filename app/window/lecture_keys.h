#pragma once
// Keys of a lecture that is held, and of a slide.
// Each adds what the key asks for if it is its own, and returns whether it was.

#include "app/window/edit.h"
#include "render/window.h"

namespace ws {

bool in_lecture(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits);
bool on_slide(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits);

}  // namespace ws
