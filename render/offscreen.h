#pragma once
// OpenGL without a display: an EGL context on a GPU or on Mesa's software renderer, and a framebuffer to draw
// into.

#include <memory>

#include "gpu/core/image.h"

namespace ws {

class Offscreen {
  public:
    // Throws Error. The context is current afterwards and draws into a framebuffer of `size`.
    explicit Offscreen(Extent size);
    ~Offscreen();
    Offscreen(const Offscreen&) = delete;
    Offscreen& operator=(const Offscreen&) = delete;

    [[nodiscard]] Extent size() const { return size_; }
    [[nodiscard]] unsigned framebuffer() const;
    // Waits until everything has been drawn.
    void finish();
    // What was drawn, top row first.
    [[nodiscard]] RgbaImage read() const;

  private:
    struct State;
    Extent size_;
    std::unique_ptr<State> state_;
};

}  // namespace ws
