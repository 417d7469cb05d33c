#include "app/window/layout.h"

#include <imgui.h>

#include <algorithm>

#include "app/widgets/text.h"

namespace ws {

Layout layout_of(Extent framebuffer) {
    constexpr float kColumnEms = 23.5f;
    constexpr float kLargestShare = 0.62f;  // of the window's width for the panels
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    const float wish = kColumnEms * em();
    Layout layout;
    layout.columns = 2 * wish <= screen.x * kLargestShare ? 2 : 1;
    layout.column_width = std::min(wish, screen.x * kLargestShare / float(layout.columns));
    layout.picture_width = screen.x - layout.column_width * float(layout.columns);
    layout.height = screen.y;
    layout.picture = {0, 0, int(layout.picture_width * ImGui::GetIO().DisplayFramebufferScale.x),
                      framebuffer.height};
    return layout;
}

}  // namespace ws
