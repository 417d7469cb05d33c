#pragma once
// The lecturer's view in a window of its own, on a screen that does not show the class's: its own OpenGL
// context and its own context of ImGui. Keys that are pressed in it count as the other window's.

#include <chrono>
#include <memory>
#include <optional>

#include "app/window/app.h"
#include "app/window/gui.h"
#include "app/window/window_session.h"
#include "gpu/core/image.h"

namespace ws {

// The lecturer's view of now, drawn into ImGui's frame that has begun in `window`.
void draw_notes_frame(const App& app, Extent window, std::string_view clock, std::string_view since);
// "0:12:30".
[[nodiscard]] std::string_view duration_text(std::chrono::seconds elapsed);

class NotesWindow {
  public:
    // Hands what was pressed in it to the class's window.
    void take_input(WindowSession& session);
    // Opens or closes it as the app wants it, and draws what has changed in it. Where it cannot be opened,
    // the app is told.
    void update(App& app, WindowSession& session);
    // Until the next update: the other window's context is lost.
    void close();

  private:
    struct Parts {
        explicit Parts(WindowSession& session);
        ~Parts();
        Parts(const Parts&) = delete;
        Parts& operator=(const Parts&) = delete;
        GuiContext gui;
        Window window;
        std::unique_ptr<GuiDrawing> drawing;
    };
    // What is in it.
    struct Shown {
        int step = 0;
        std::string typed;
        bool asking = false;
        std::string_view language;
        Theme theme = Theme::light;
        Extent size;
        std::int64_t second = 0;  // of the clock
        friend bool operator==(const Shown&, const Shown&) = default;
    };
    void open(App& app, WindowSession& session);
    void draw(const App& app, const Shown& shown);
    [[nodiscard]] Shown wanted(const App& app) const;

    std::unique_ptr<Parts> parts_;
    std::optional<Shown> shown_;
    std::optional<std::chrono::steady_clock::time_point> begun_;  // when the first step was left
};

}  // namespace ws
