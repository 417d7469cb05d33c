#include "app/window/offscreen_session.h"

#include <imgui.h>

#include "app/views/slots.h"

namespace ws {

OffscreenSession::OffscreenSession(Extent size, float font_scale)
    : fonts_(bake_beside(slots_of(size).unit * font_scale)),
      screen_(size),
      facts_(read_gl_facts()),
      gui_(fonts_.get()),
      drawing_(gui_) {}

void OffscreenSession::begin_frame(Theme theme, float font_scale) {
    constexpr float kFrameSeconds = 1.0f / 60;
    const Extent pixels = size();
    ImGui::GetIO().DisplaySize = {float(pixels.width), float(pixels.height)};
    ImGui::GetIO().DeltaTime = kFrameSeconds;
    drawing_.begin_frame(theme, slots_of(pixels).unit * font_scale, sharpness_);
    ImGui::NewFrame();
}

}  // namespace ws
