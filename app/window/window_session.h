#pragma once
// A window to draw frames on: GLFW, the window with its OpenGL context, ImGui with its input and drawing.
// Each part goes before what it was made with; a constructor that throws leaves nothing behind.

#include <memory>

#include "app/window/gui.h"
#include "app/window/session.h"
#include "render/context.h"
#include "render/gl_objects.h"

namespace ws {

class WindowSession final : public Session {
  public:
    // Throws Error where no window can be opened.
    explicit WindowSession(const WindowPlace& place);

    // A new window with a new OpenGL context in the place of the one before, whose context was lost. What
    // ImGui knows stays. Throws Error.
    void renew();

    // Waits for input for at most `seconds`; 0 does not wait. False if the time went by without any.
    bool take_events(double seconds) { return parts_->window.take_events(seconds); }
    [[nodiscard]] bool closing() const { return parts_->window.should_close(); }
    [[nodiscard]] const Glfw& glfw() const { return glfw_; }
    [[nodiscard]] Window& window() { return parts_->window; }

    void begin_frame(Theme theme, float font_scale) override;
    void end_frame() override;
    [[nodiscard]] RgbaImage read() const override { return read_framebuffer(0, size()); }
    void present() override { parts_->window.swap(); }
    [[nodiscard]] Extent size() const override { return parts_->window.framebuffer(); }
    [[nodiscard]] unsigned framebuffer() const override { return 0; }
    [[nodiscard]] const std::string& renderer() const override { return parts_->facts.renderer; }
    [[nodiscard]] const std::vector<KeyPress>& keys() const override { return keys_; }
    [[nodiscard]] const std::vector<std::string>& dropped_files() const override { return dropped_files_; }
    void close() override { parts_->window.close(); }
    void toggle_full_screen() override;
    [[nodiscard]] WindowPlace place() const override;

  private:
    // What dies with an OpenGL context.
    struct Parts {
        Parts(const Glfw& glfw, const WindowPlace& place);
        Window window;
        GlFacts facts;
        GuiInput input;
        GuiDrawing drawing;
    };
    Glfw glfw_;
    GuiContext gui_;
    std::unique_ptr<Parts> parts_;
    std::vector<KeyPress> keys_;  // of this frame
    std::vector<std::string> dropped_files_;
};

}  // namespace ws
