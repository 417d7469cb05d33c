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
    // `font_scale`: what begin_frame will probably be asked for. Throws Error where no window can be opened.
    explicit WindowSession(const WindowPlace& place, float font_scale = 1);

    // A new window with a new OpenGL context in the place of the one before, whose context was lost. What
    // ImGui knows stays. Throws Error.
    void renew();

    [[nodiscard]] bool closing() const { return window_->should_close(); }
    [[nodiscard]] Glfw& glfw() { return glfw_; }
    [[nodiscard]] Window& window() { return *window_; }

    void begin_frame(Theme theme, float font_scale) override;
    [[nodiscard]] bool busy() const override { return context_->stretched(); }
    void end_frame() override;
    [[nodiscard]] RgbaImage read() const override { return read_framebuffer(0, size()); }
    void present() override { window_->swap(); }
    [[nodiscard]] Extent size() const override { return window_->framebuffer(); }
    [[nodiscard]] unsigned framebuffer() const override { return 0; }
    [[nodiscard]] const std::string& renderer() const override { return facts_.renderer; }
    [[nodiscard]] const std::vector<KeyPress>& keys() const override { return keys_; }
    [[nodiscard]] const std::vector<std::string>& dropped_files() const override { return dropped_files_; }
    void close() override { window_->close(); }
    void toggle_full_screen() override;
    [[nodiscard]] WindowPlace place() const override;

  private:
    // What ImGui has of a window.
    struct Gui {
        Gui(GuiContext& context, const Window& window) : input(window), drawing(context) {}
        GuiInput input;
        GuiDrawing drawing;
    };
    void open_window(const WindowPlace& place);

    FontJob fonts_;
    Glfw glfw_;
    // Window and gui die with an OpenGL context, and come anew; what the context knows stays.
    std::unique_ptr<Window> window_;
    GlFacts facts_;
    std::unique_ptr<GuiContext> context_;
    std::unique_ptr<Gui> gui_;
    std::vector<KeyPress> keys_;  // of this frame
    std::vector<std::string> dropped_files_;
};

}  // namespace ws
