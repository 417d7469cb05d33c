#pragma once
// What frames are drawn on, with the OpenGL context that is current while it lives, and what comes in from
// it.

#include <string>
#include <vector>

#include "app/window/saved_state.h"
#include "gpu/core/image.h"
#include "render/window.h"

namespace ws {

class Session {
  public:
    virtual ~Session() = default;

    // Begins ImGui's frame in the colours of the theme, its text as large as suits the size and `font_scale`.
    virtual void begin_frame(Theme theme, float font_scale) = 0;
    // Text is not as sharp yet as it will be: another frame is wanted.
    [[nodiscard]] virtual bool busy() const = 0;
    // Draws ImGui's frame over what lies in the framebuffer.
    virtual void end_frame() = 0;
    // False: nobody sees the frame, which is laid out but not drawn.
    [[nodiscard]] virtual bool seen() const { return true; }
    // Shows what was drawn.
    virtual void present() = 0;

    [[nodiscard]] virtual Extent size() const = 0;  // of the framebuffer, in pixels
    [[nodiscard]] virtual unsigned framebuffer() const = 0;
    [[nodiscard]] virtual const std::string& renderer() const = 0;  // OpenGL's name of itself

    // What the frame has drawn, before it is presented.
    [[nodiscard]] virtual RgbaImage read() const = 0;

    // What happened before this frame began.
    [[nodiscard]] virtual const std::vector<KeyPress>& keys() const = 0;
    [[nodiscard]] virtual const std::vector<std::string>& dropped_files() const = 0;

    virtual void close() = 0;
    virtual void toggle_full_screen() = 0;
    [[nodiscard]] virtual WindowPlace place() const = 0;
};

}  // namespace ws
