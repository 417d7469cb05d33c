#pragma once
// What is shown, what it is made of, and the pixel under the pointer, below the picture.

#include "app/window/layout.h"
#include "app/window/picture_screen.h"
#include "gpu/engine/engine.h"

namespace ws {

void draw_picture_labels(const Layout& layout, const Engine& engine, const PictureScreen& screen,
                         const Camera& camera);

}  // namespace ws
