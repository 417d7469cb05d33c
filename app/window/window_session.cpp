#include "app/window/window_session.h"

#include <imgui.h>

#include <utility>

#include "app/views/slots.h"

namespace ws {

WindowSession::Parts::Parts(const Glfw& glfw, const WindowPlace& place)
    : window(glfw, {place.size, "Warpscope", place.full_screen}), facts(read_gl_facts()), input(window) {}

WindowSession::WindowSession(const WindowPlace& place) : parts_(std::make_unique<Parts>(glfw_, place)) {}

void WindowSession::renew() {
    const WindowPlace before = place();
    parts_.reset();
    parts_ = std::make_unique<Parts>(glfw_, before);
}

void WindowSession::begin_frame(Theme theme, float font_scale) {
    keys_ = std::exchange(parts_->window.keys, {});
    dropped_files_ = std::exchange(parts_->window.dropped_files, {});
    parts_->drawing.begin_frame(theme, slots_of(size()).unit * font_scale);
    parts_->input.begin_frame(keys_);
    ImGui::NewFrame();
}

void WindowSession::end_frame() {
    parts_->drawing.draw();
}

void WindowSession::toggle_full_screen() {
    parts_->window.set_full_screen(!parts_->window.full_screen());
}

WindowPlace WindowSession::place() const {
    return {parts_->window.size(), parts_->window.full_screen()};
}

}  // namespace ws
