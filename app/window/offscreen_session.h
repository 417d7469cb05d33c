#pragma once
// Frames without a display: an OpenGL context that draws into memory, and ImGui without input.

#include "app/window/gui.h"
#include "app/window/session.h"
#include "render/context.h"
#include "render/offscreen.h"

namespace ws {

class OffscreenSession final : public Session {
  public:
    // `font_scale`: what begin_frame will probably be asked for. Throws Error.
    explicit OffscreenSession(Extent size, float font_scale = 1);

    // What was drawn last, top row first.
    [[nodiscard]] RgbaImage read() const override { return screen_.read(); }

    void begin_frame(Theme theme, float font_scale) override;
    [[nodiscard]] bool busy() const override { return gui_.stretched(); }
    // Each frame is as it will be, unless frames shall come as a window's do.
    void set_sharpness(Sharpness sharpness) { sharpness_ = sharpness; }
    void end_frame() override { drawing_.draw(); }
    [[nodiscard]] bool seen() const override { return seen_; }
    // Frames in software cost more than all else: those before the one that is read need not be drawn.
    void set_seen(bool seen) { seen_ = seen; }
    // Waits until everything has been drawn: nothing else holds frames back.
    void present() override { screen_.finish(); }
    [[nodiscard]] Extent size() const override { return screen_.size(); }
    [[nodiscard]] unsigned framebuffer() const override { return screen_.framebuffer(); }
    [[nodiscard]] const std::string& renderer() const override { return facts_.renderer; }
    [[nodiscard]] const std::vector<KeyPress>& keys() const override { return no_keys_; }
    [[nodiscard]] const std::vector<std::string>& dropped_files() const override { return no_files_; }
    void close() override {}
    void toggle_full_screen() override {}
    [[nodiscard]] WindowPlace place() const override { return {}; }

  private:
    FontJob fonts_;
    Offscreen screen_;
    GlFacts facts_;
    GuiContext gui_;
    GuiDrawing drawing_;
    Sharpness sharpness_ = Sharpness::at_once;
    bool seen_ = true;
    std::vector<KeyPress> no_keys_;
    std::vector<std::string> no_files_;
};

}  // namespace ws
