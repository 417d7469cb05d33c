#include "app/window/notes_window.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <imgui.h>

#include <string>
#include <utility>

#include "app/canvas/text.h"
#include "app/texts/texts.h"
#include "app/views/notes_view.h"
#include "app/window/stage.h"
#include "gpu/core/background.h"
#include "render/gl_objects.h"

namespace ws {
namespace {

constexpr Extent kSize{960, 600};  // where there is one screen only

}  // namespace

std::string_view duration_text(std::chrono::seconds elapsed) {
    const auto all = elapsed.count();
    return text("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
}

void draw_notes_frame(const App& app, Extent window, std::string_view clock, std::string_view since) {
    const StageWindow stage;
    Drawing drawing;
    Canvas canvas(*ImGui::GetWindowDrawList(), app.theme(), notes_unit(window), drawing);
    draw_notes(canvas, window, {*app.playing(), clock, since});
}

NotesWindow::Parts::Parts(WindowSession& session)
    : window(session.glfw(), {kSize, std::string(say("notes.window")), false, false, false}),
      drawing(std::make_unique<GuiDrawing>(gui)) {
    const std::vector<Screen> all = screens(session.glfw());
    if (const auto screen = screen_beside(all, session.window().screen())) window.cover(*screen);
}

NotesWindow::Parts::~Parts() {
    const GlContextKeeper gl;
    const GuiContextKeeper own;
    gui.make_current();
    window.make_current();
    drawing.reset();
}

void NotesWindow::take_input(WindowSession& session) {
    if (!parts_) return;
    for (const KeyPress& key : std::exchange(parts_->window.keys, {})) session.window().keys.push_back(key);
    parts_->window.dropped_files.clear();
}

void NotesWindow::open(App& app, WindowSession& session) {
    const GlContextKeeper gl;
    const GuiContextKeeper gui;
    try {
        parts_ = std::make_unique<Parts>(session);
    } catch (...) {
        app.tell(caught_message(), true);
        app.ask(ShowNotes{false});
    }
}

NotesWindow::Shown NotesWindow::wanted(const App& app) const {
    const Playing& playing = *app.playing();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return {playing.at,
            playing.typed,
            playing.asking(),
            app.language(),
            app.theme(),
            parts_->window.framebuffer(),
            std::chrono::duration_cast<std::chrono::seconds>(now).count()};
}

void NotesWindow::update(App& app, WindowSession& session) {
    if (!app.shows_notes()) {
        close();
        return;
    }
    if (!parts_) open(app, session);
    if (!parts_) return;
    if (parts_->window.should_close()) {
        app.ask(ShowNotes{false});
        return;
    }
    if (!begun_ && app.playing()->at > 0) begun_ = std::chrono::steady_clock::now();
    const Shown now = wanted(app);
    if ((now == shown_ && !parts_->gui.stretched()) || now.size.width == 0 || now.size.height == 0) return;
    draw(app, now);
    shown_ = now;
}

void NotesWindow::close() {
    parts_.reset();
    shown_.reset();
}

void NotesWindow::draw(const App& app, const Shown& shown) {
    const GlContextKeeper gl;
    const GuiContextKeeper gui;
    parts_->gui.make_current();
    parts_->window.make_current();
    ImGui::GetIO().DisplaySize = {float(shown.size.width), float(shown.size.height)};
    parts_->drawing->begin_frame(shown.theme, notes_unit(shown.size), Sharpness::soon);
    ImGui::NewFrame();
    begin_frame_texts();
    const auto since =
        begun_ ? std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - *begun_)
               : std::chrono::seconds(0);
    const std::string_view clock = text("{:%H:%M}", fmt::localtime(std::time_t(shown.second)));
    draw_notes_frame(app, shown.size, clock, duration_text(since));
    ImGui::Render();
    clear_framebuffer(0, shown.size, {});
    parts_->drawing->draw();
    parts_->window.swap();
}

}  // namespace ws
