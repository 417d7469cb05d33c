#pragma once
// Owners of OpenGL objects. Move-only; made and destroyed with a context current.

#include <array>
#include <string_view>
#include <utility>

#include "gpu/core/image.h"

namespace ws {

// One OpenGL name with the function that deletes it.
class GlName {
  public:
    using Delete = void (*)(unsigned);
    GlName() = default;
    GlName(unsigned name, Delete remove) : name_(name), remove_(remove) {}
    GlName(GlName&& other) noexcept : name_(std::exchange(other.name_, 0)), remove_(other.remove_) {}
    GlName& operator=(GlName&& other) noexcept {
        std::swap(name_, other.name_);
        std::swap(remove_, other.remove_);
        return *this;
    }
    ~GlName() {
        if (name_ != 0) remove_(name_);
    }
    [[nodiscard]] unsigned get() const { return name_; }
    [[nodiscard]] explicit operator bool() const { return name_ != 0; }

  private:
    unsigned name_ = 0;
    Delete remove_ = nullptr;
};

[[nodiscard]] GlName make_texture();
[[nodiscard]] GlName make_buffer();
[[nodiscard]] GlName make_vertex_array();
[[nodiscard]] GlName make_framebuffer();
// Throws Error with the driver's log.
[[nodiscard]] GlName make_program(std::string_view vertex_shader, std::string_view fragment_shader);

// Fills a framebuffer of `size` with one colour.
void clear_framebuffer(unsigned framebuffer, Extent size, const std::array<float, 3>& color);

// What a framebuffer of `size` holds, top row first, opaque. Of the window's own: what was drawn and not
// presented yet.
[[nodiscard]] RgbaImage read_framebuffer(unsigned framebuffer, Extent size);

// Forgets the errors of earlier calls. A lost context reports one for ever: the number of tries is bounded.
void clear_gl_errors();
// Whether one of the calls since then ran out of memory.
[[nodiscard]] bool gl_out_of_memory();

}  // namespace ws
