#pragma once
// Errors and news over the picture.

#include "app/views/views.h"
#include "app/window/notices.h"

namespace ws {

void draw_notice_bar(const Stage& stage, const Notices& notices);

}  // namespace ws
