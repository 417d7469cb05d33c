#pragma once
// What lies over the pictures: labels, the line of a wipe, values of pixels; and the mouse: dragging pans,
// the wheel zooms, a double click fits, the line is dragged.

#include "app/views/picture_parts.h"
#include "app/views/views.h"
#include "app/window/picture_screen.h"
#include "gpu/core/snapshot.h"

namespace ws {

class Engine;

void draw_picture_overlay(const Stage& stage, const PictureParts& parts, const Engine& engine,
                          const PictureScreen& screen);

}  // namespace ws
