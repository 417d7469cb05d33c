#pragma once
// A GLFW window with an OpenGL context, and what happened to it since the last frame.

#include <memory>
#include <string>
#include <vector>

#include "gpu/core/image.h"
#include "render/screens.h"

struct GLFWmonitor;
struct GLFWwindow;

namespace ws {

// A key that was pressed: a character as the keyboard's layout makes it, or a named key.
struct KeyPress {
    enum class Key {
        character,
        escape,
        enter,
        up,
        down,
        page_up,
        page_down,
        f1,
        f11,
        f12,
        left,
        right,
        home,
        end,
        tab,
        f5,
        backspace,
        plus,
        minus,
        zero
    };
    Key key = Key::character;
    unsigned character = 0;
    bool control = false;
    bool shift = false;
    bool repeated = false;  // it is held
};

// GLFW itself, which every window needs and outlives none. At most one at a time.
class Glfw {
  public:
    Glfw();  // throws Error if there is no display
    ~Glfw();
    Glfw(const Glfw&) = delete;
    Glfw& operator=(const Glfw&) = delete;

    // Waits for at most `seconds` until something happens to any window; 0 does not wait. False if nothing
    // did since the last call.
    bool take_events(double seconds);
    void note_event() { happened_ = true; }

  private:
    bool happened_ = false;
};

// What is current of OpenGL when it is made is current again when it goes.
class GlContextKeeper {
  public:
    GlContextKeeper();
    ~GlContextKeeper();
    GlContextKeeper(const GlContextKeeper&) = delete;
    GlContextKeeper& operator=(const GlContextKeeper&) = delete;

  private:
    GLFWwindow* before_;
};

struct WindowStart {
    Extent size;  // in screen coordinates; less where its screen has no room for it
    std::string title;
    bool full_screen = false;
    bool takes_focus = true;
    bool waits =
        true;  // swaps with the screen's refresh; of two windows only one may, or each waits for both
};

class Window {
  public:
    // Its OpenGL context is current afterwards. Throws Error if there is no OpenGL 3.3.
    Window(Glfw& glfw, const WindowStart& start);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    [[nodiscard]] GLFWwindow* handle() const { return window_.get(); }
    [[nodiscard]] Extent framebuffer() const;
    [[nodiscard]] Extent size() const;  // of the window when it is not full screen, in screen coordinates
    [[nodiscard]] bool full_screen() const { return full_screen_; }
    void set_full_screen(bool on);
    // Full screen on this one, wherever it was.
    void fill(const Screen& screen);
    // As large as a screen has room for a window, and there.
    void cover(const Screen& screen);
    // The one that shows its middle.
    [[nodiscard]] Screen screen() const;
    void make_current();
    [[nodiscard]] bool should_close() const;
    void close();
    void swap();
    [[nodiscard]] Glfw& glfw() const { return glfw_; }

    // Characters that come now are those of a key that is held.
    bool repeating = false;
    // Emptied by the caller.
    std::vector<KeyPress> keys;
    std::vector<std::string> dropped_files;

  private:
    struct Destroyer {
        void operator()(GLFWwindow* window) const;
    };
    void fill(GLFWmonitor* monitor);

    Glfw& glfw_;
    std::unique_ptr<GLFWwindow, Destroyer> window_;
    bool full_screen_ = false;
    bool waits_ = true;
    int windowed_x_ = 0;
    int windowed_y_ = 0;
    Extent windowed_;
};

// Why GLFW can open no window at all; empty if it can.
[[nodiscard]] std::string why_no_display();

}  // namespace ws
