#pragma once
// A GLFW window with an OpenGL context, and what happened to it since the last frame.

#include <memory>
#include <string>
#include <vector>

#include "gpu/core/image.h"

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
        plus,
        minus,
        zero
    };
    Key key = Key::character;
    unsigned character = 0;
    bool control = false;
};

class Window {
  public:
    // Throws Error if there is no display or no OpenGL 3.3.
    Window(Extent size, const std::string& title, bool full_screen);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    [[nodiscard]] GLFWwindow* handle() const { return window_; }
    [[nodiscard]] Extent framebuffer() const;
    [[nodiscard]] Extent size() const;  // of the window when it is not full screen, in screen coordinates
    [[nodiscard]] bool full_screen() const { return full_screen_; }
    void set_full_screen(bool on);
    [[nodiscard]] bool should_close() const;
    void close();
    void swap();
    // Waits for input for at most `seconds`; 0 does not wait. False if the time went by without any.
    bool take_events(double seconds);

    // Emptied by the caller.
    std::vector<KeyPress> keys;
    std::vector<std::string> dropped_files;

  private:
    GLFWwindow* window_ = nullptr;
    bool full_screen_ = false;
    int windowed_x_ = 0;
    int windowed_y_ = 0;
    Extent windowed_;
};

// Whether GLFW can open windows at all; the text says why not.
[[nodiscard]] std::string why_no_display();

}  // namespace ws
