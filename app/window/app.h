#pragma once
// The frame: input to settings, the engine's work into the picture, the panels around it.
//
// The same frame is drawn into a window and off screen; an App lives through the loss of an OpenGL context.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/options.h"
#include "app/window/capture.h"
#include "app/window/keys.h"
#include "app/window/open_dialog.h"
#include "app/window/preferences.h"
#include "gpu/core/job.h"
#include "gpu/engine/engine.h"
#include "render/context.h"
#include "render/gl_target.h"
#include "render/viewer.h"

namespace ws {

// A message over the picture, until it is closed or has been there long enough.
struct Notice {
    std::string text;
    bool error = false;
    double until = 0;  // seconds of the frame clock; 0: until it is closed
};

class App {
  public:
    App(const Options& options, SavedState state, const std::string& problem);
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    // With a new current OpenGL context; `lost` if it replaces one that was lost.
    void attach_gl(bool lost);
    // Before the context goes.
    void detach_gl();

    void key(const KeyPress& key) { keys_.push_back(key); }
    // Reads it on a thread of its own; it is shown when it is there.
    void open_picture(const std::string& path);
    // Everything but ImGui's input: `framebuffer` has the given size.
    void frame(unsigned framebuffer, Extent size);

    [[nodiscard]] bool wants_quit() const { return quit_; }
    [[nodiscard]] bool take_full_screen_toggle() { return std::exchange(toggle_full_screen_, false); }
    // Something is moving: draw the next frame at once.
    [[nodiscard]] bool busy() const;
    // Only the simulated GPU computes: a frame now and then is enough, and leaves it the processor.
    [[nodiscard]] bool waits_for_simulation() const;
    // Nothing would be drawn that is not drawn already, until there is input.
    [[nodiscard]] bool at_rest() const;
    // Times and check of the picture are there; for drawing off screen.
    [[nodiscard]] bool settled() const;
    [[nodiscard]] const Engine& engine() const { return *engine_; }
    [[nodiscard]] SavedState& state() { return state_; }
    void tell(std::string text, bool error);

  private:
    struct Gl;
    void start_engine();
    [[nodiscard]] static Job<Picture> reading(std::string path);
    void take_opened_picture();
    void hold_tapped_enter();
    void handle_keys();
    void apply_commands(const Commands& commands);
    void prepare_engine();
    void choose_target();
    void run_engine();
    void step_tour();
    void save_before_after();
    void save_when_ready();
    void save_settings_when_changed();
    void draw_interface();
    void draw_columns();
    void draw_toolbar();
    void draw_picture_area();
    void move_camera();
    void draw_labels();
    void draw_notices();
    void draw_key_sheet();
    [[nodiscard]] std::string_view banner() const;
    [[nodiscard]] std::string_view pixel_under_pointer() const;
    // The picture that the kernels wrote last.
    [[nodiscard]] GrayImage read_shown();
    // The gray value on the screen, where one is shown.
    [[nodiscard]] std::optional<int> shown_value(int column, int row) const;

    Options options_;
    SavedState state_;
    SavedState saved_;
    double changed_at_ = -1;
    bool persist_;                           // off screen nothing is remembered
    Settings good_settings_;                 // the last that the engine took
    Job<std::unique_ptr<Engine>> starting_;  // both begun while the window opens
    Job<Picture> first_picture_;
    std::unique_ptr<Engine> engine_;
    Job<Picture> opening_;
    std::string opening_path_;
    std::string next_path_;
    std::unique_ptr<Gl> gl_;
    int target_epoch_ = -1;
    std::string path_text_;  // how the picture reaches the screen
    bool path_is_detour_ = false;
    std::vector<KeyPress> keys_;
    std::vector<Notice> notices_;
    OpenDialog open_dialog_;
    bool holding_enter_ = false;
    CaptureWriter capture_;
    Camera camera_;
    Area area_;
    Extent surface_;
    float text_pixels_ = 0;
    bool key_sheet_ = false;
    bool quit_ = false;
    bool toggle_full_screen_ = false;
    bool save_wanted_ = false;
    bool original_fresh_ = false;     // the original's texture shows the engine's picture
    bool gray_fresh_ = false;         // the gray texture shows what the target holds
    std::optional<int> tour_return_;  // the version to come back to
};

}  // namespace ws
