#pragma once
// Where the picture and the columns of panels lie.

#include "gpu/core/image.h"
#include "render/viewer.h"

namespace ws {

// Units of ImGui, where nothing else is said.
struct Layout {
    Area picture;  // in pixels of the framebuffer
    float picture_width = 0;
    float height = 0;
    int columns = 1;  // 1 or 2, at the right; the picture has the rest
    float column_width = 0;
};

// Within ImGui's frame, for a framebuffer of this size.
[[nodiscard]] Layout layout_of(Extent framebuffer);

}  // namespace ws
