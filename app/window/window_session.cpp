#include "app/window/window_session.h"

#include <imgui.h>

#include <utility>

#include "app/views/slots.h"

namespace ws {

WindowSession::WindowSession(const WindowPlace& place, float font_scale)
    : fonts_(bake_beside(slots_of(place.size).unit * font_scale)) {
    open_window(place);
    context_ = std::make_unique<GuiContext>(fonts_.get());
    gui_ = std::make_unique<Gui>(*context_, *window_);
}

void WindowSession::open_window(const WindowPlace& place) {
    window_ = std::make_unique<Window>(glfw_, WindowStart{place.size, "Warpscope", place.full_screen});
    facts_ = read_gl_facts();
}

void WindowSession::renew() {
    const WindowPlace before = place();
    std::vector<KeyPress> pressed = std::move(window_->keys);  // since the last frame
    gui_.reset();
    window_.reset();
    open_window(before);
    window_->keys = std::move(pressed);
    gui_ = std::make_unique<Gui>(*context_, *window_);
}

void WindowSession::begin_frame(Theme theme, float font_scale) {
    keys_ = std::exchange(window_->keys, {});
    dropped_files_ = std::exchange(window_->dropped_files, {});
    gui_->drawing.begin_frame(theme, slots_of(size()).unit * font_scale, Sharpness::soon);
    gui_->input.begin_frame(keys_);
    ImGui::NewFrame();
}

void WindowSession::end_frame() {
    gui_->drawing.draw();
}

void WindowSession::toggle_full_screen() {
    window_->set_full_screen(!window_->full_screen());
}

WindowPlace WindowSession::place() const {
    return {window_->size(), window_->full_screen()};
}

}  // namespace ws
