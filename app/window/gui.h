#pragma once
// Owners of ImGui's parts. Their order of life: the context, then the input and the drawing, which go before
// the window and the OpenGL context that they were made for.

#include <cstdint>
#include <vector>

#include "app/canvas/fonts.h"
#include "app/canvas/palette.h"
#include "gpu/core/job.h"
#include "render/window.h"

struct ImGuiContext;

namespace ws {

// Which of ImGui's contexts is current when it is made is so again when it goes.
class GuiContextKeeper {
  public:
    GuiContextKeeper();
    ~GuiContextKeeper();
    GuiContextKeeper(const GuiContextKeeper&) = delete;
    GuiContextKeeper& operator=(const GuiContextKeeper&) = delete;

  private:
    ImGuiContext* before_;
};

// Makes fonts beside: most of a start is the wait for OpenGL, and no frame waits for them later.
using FontJob = Job<FontsBaked>;
[[nodiscard]] FontJob bake_beside(float unit);

// When text of another size is as sharp as it can be: in the same frame, or once its fonts are made beside
// the frames, which draw with those there are, stretched, until then.
enum class Sharpness : std::uint8_t { at_once, soon };

// ImGui's context, which knows what is open, scrolled and typed; no file keeps that. Current once it is made.
class GuiContext {
  public:
    explicit GuiContext(const FontsBaked& fonts = nullptr);
    ~GuiContext();
    GuiContext(const GuiContext&) = delete;
    GuiContext& operator=(const GuiContext&) = delete;

    void make_current() const;
    // Text for `unit` pixels a pixel at 1080 lines from now on, in this context, which is current. True if
    // the fonts' pixels are others than before.
    bool use_fonts(float unit, Sharpness sharpness);
    // Fonts that fit better are being made.
    [[nodiscard]] bool stretched() const { return making_.active(); }

  private:
    void install(const BakedFonts& fonts);

    ImGuiContext* context_;
    float unit_ = 0;  // of its fonts; 0: it has none
    FontJob making_;
};

// ImGui's input from a window.
class GuiInput {
  public:
    explicit GuiInput(const Window& window);
    ~GuiInput();
    GuiInput(const GuiInput&) = delete;
    GuiInput& operator=(const GuiInput&) = delete;

    // Hands on what happened since the last frame; `keys` are those that were pressed.
    void begin_frame(const std::vector<KeyPress>& keys);

  private:
    bool holding_enter_ = false;
};

// ImGui's programs, buffers and fonts in the current OpenGL context.
class GuiDrawing {
  public:
    explicit GuiDrawing(GuiContext& context);  // throws Error
    ~GuiDrawing();
    GuiDrawing(const GuiDrawing&) = delete;
    GuiDrawing& operator=(const GuiDrawing&) = delete;

    // Text for `unit` pixels a pixel at 1080 lines from now on, in the colours of the theme.
    void begin_frame(Theme theme, float unit, Sharpness sharpness);
    // Draws what ImGui::Render made of the frame.
    void draw();

  private:
    GuiContext& context_;
    float unit_ = 0;  // of what is drawn; 0 before the first frame
    Theme theme_ = Theme::light;
};

}  // namespace ws
