#pragma once
// The frame: input and panels to edits, edits to work and view, the engine's work into the picture.
//
// The same frame is drawn into a window and off screen; an App lives through the loss of an OpenGL context.

#include <memory>
#include <string>

#include "app/canvas/canvas.h"
#include "app/views/views.h"
#include "app/window/app_start.h"
#include "app/window/debug_desk.h"
#include "app/window/edit.h"
#include "app/window/experiment_runner.h"
#include "app/window/notices.h"
#include "app/window/open_dialog.h"
#include "app/window/picture_loader.h"
#include "app/window/picture_saver.h"
#include "app/window/picture_screen.h"
#include "app/window/session.h"
#include "app/window/settings_store.h"
#include "app/window/sweep_desk.h"
#include "app/window/text_editor.h"
#include "app/window/time_log.h"
#include "gpu/engine/engine.h"
#include "gpu/sass/machine_listing.h"

namespace ws {

class App {
  public:
    explicit App(AppParts parts);

    // One frame, drawn but not presented yet.
    void frame(Session& session, PictureScreen& screen);
    // Asks for something, as a key or a panel does; the next frame applies it.
    void ask(Edit edit) { edits_.add(std::move(edit)); }
    void tell(std::string text, bool error) { notices_.tell(std::move(text), error); }
    // Writes what the next start finds again. Throws Error.
    void save_settings() const { store_.finish(); }

    [[nodiscard]] const ScreenSetup& screen_setup() const { return screen_setup_; }
    [[nodiscard]] const Engine& engine() const { return *engine_; }
    // The lecture that is held; null: none.
    [[nodiscard]] const Playing* playing() const { return view_.playing ? &*view_.playing : nullptr; }
    // Whether the lecturer's view of it is to be seen, and how it looks and speaks.
    [[nodiscard]] bool shows_notes() const { return view_.notes && view_.playing; }
    [[nodiscard]] Theme theme() const { return view_.preferences.theme; }
    [[nodiscard]] std::string_view language() const;
    // What the last frame drew, for tests that walk it.
    [[nodiscard]] const Drawing& drawing() const { return last_.drawing; }
    // Something is moving: draw the next frame at once.
    [[nodiscard]] bool busy() const;
    // Only the simulated GPU computes, or a sweep runs: a frame now and then is enough, and leaves it the
    // processor.
    [[nodiscard]] bool waits_for_simulation() const {
        return (engine_->simulating() && !view_.experiment.shown) || measuring_.sweeps.running() ||
               debugger_.running();
    }
    // Nothing would be drawn that is not drawn already, until there is input.
    [[nodiscard]] bool at_rest() const;
    // Times and check of the picture are there; for drawing off screen.
    [[nodiscard]] bool settled() const;

  private:
    void take_input(Session& session);
    void take_picture();
    void apply_edits(Session& session);
    void apply(const WorkEdit& edit);
    void look(const ViewEdit& edit);
    void act(const Action& action, Session& session);
    [[nodiscard]] Extent shown_size() const;
    // Of the kernel in focus, while it is looked at.
    [[nodiscard]] const MachineListing* machine_code();
    [[nodiscard]] const StepSnapshot& focus() const;
    [[nodiscard]] PictureParts parts_in(const Session& session) const;
    [[nodiscard]] Slots slots_in(const Session& session) const;
    void step_back(Session& session);
    void turn_step(int by);
    void show_step();
    void open_picture(const std::string& path);
    void pin_baseline();
    void pin_now();
    void try_advice(std::size_t place);
    void jump_in_source(const JumpInSource& asked);
    void jump_to_wrong(const JumpToWrong& asked);
    void open_editor();
    void use_own_kernels();
    [[nodiscard]] Beside beside() const;
    [[nodiscard]] SideA shown_a() const;
    [[nodiscard]] std::optional<WarpWish> warp_wish() const;
    [[nodiscard]] std::optional<ClockWish> clock_wish() const;
    // The debugger is looked at.
    [[nodiscard]] bool shows_debugger() const;
    void update_debugger();
    void command_debugger(const std::string& command);
    void step_watched(int by);
    void step_debug_panel(int by);
    void draw_quit_question(const Stage& stage);
    [[nodiscard]] bool provide_input();
    void prepare_engine();
    [[nodiscard]] SessionOptions experiment_session() const;
    void show_experiment();
    void update_experiment();
    void draw_interface(const Session& session, PictureScreen& screen);
    void draw(Session& session, PictureScreen& screen);
    void save_pictures(const Session& session, const PictureScreen& screen);
    [[nodiscard]] bool shows_frozen() const { return view_.slide.frozen && last_.slide; }
    void keep_settings(const Session& session);

    // The kernels, and the person's own editor of them.
    struct Sources {
        KernelLibrary kernels;
        TextEditor editor;
        MachineReader machine{};  // of the kernel whose source is shown
    };
    struct Pictures {
        std::string path;  // of the one that is open; empty: the built-in one
        PictureLoader loader;
        OpenDialog dialog;
        Job<Problem> generated;  // the input that a lab makes
    };
    // What is measured besides the picture that is shown, and what is kept of it.
    struct Measuring {
        SweepDesk sweeps;
        TimeLog times;
    };
    // Of the frame that was drawn last.
    struct LastFrame {
        Drawing drawing;
        Picture slide;                // the one that stays; null: none does
        bool busy = false;            // something of it is on its way
        const PictureA* a = nullptr;  // only while a frame is under way
    };

    Sources sources_;
    Work work_;
    Work good_work_;  // the last that the engine took
    ViewState view_;
    std::optional<int> baseline_;  // a lecture's, that is pinned once its picture is there
    std::unique_ptr<Engine> engine_;
    ScreenSetup screen_setup_;
    Pictures pictures_;
    Notices notices_;
    PictureSaver saver_;
    SettingsStore store_;
    Measuring measuring_;
    ExperimentRunner runner_;
    DebugDesk debugger_;
    Edits edits_;  // that are not applied yet
    LastFrame last_;
};

}  // namespace ws
