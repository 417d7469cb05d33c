#pragma once
// What takes time at the start and needs no window: it runs while the window opens.

#include <filesystem>
#include <memory>

#include "app/cli/options.h"
#include "app/cli/replay.h"
#include "app/window/notices.h"
#include "app/window/picture_screen.h"
#include "app/window/saved_state.h"
#include "gpu/core/job.h"
#include "gpu/engine/engine.h"

namespace ws {

// What an App begins with.
struct AppParts {
    KernelLibrary kernels;
    SavedState saved;  // as it was restored
    Work work;         // and after the command line
    ViewState view;
    ControlValues controls;      // of the experiment that the view shows
    std::optional<int> against;  // a version that becomes the baseline once the input is known
    std::unique_ptr<Engine> engine;
    ScreenSetup screen;
    Notices notices;
    std::string picture;                      // the path of the one that is open; empty: the built-in one
    std::filesystem::path settings;           // the file that keeps them; empty: nothing is kept
    std::filesystem::path shots;              // the folder of saved pictures
    EngineOptions sweep_engine;               // of the engine that sweeps
    std::filesystem::path records;            // that sweeps append to; empty: nowhere
    std::filesystem::path times;              // and what the window measures
    std::shared_ptr<const Options> debugged;  // that name a person's kernel to debug; null: none
    std::string debug_commands;               // that the debugger begins with
};

class AppStart {
  public:
    // Begins to read the picture, and the engine to compile. Throws UsageError.
    AppStart(const Options& options, const RestoredState& restored);

    // How large text is to be.
    [[nodiscard]] float font_scale() const { return parts_.view.preferences.font_scale; }

    // Waits for both. `renderer` is OpenGL's name of itself: a GPU that draws the window computes, too.
    // Throws Error. A window opens without its picture; what is only drawn does not.
    [[nodiscard]] AppParts finish(const std::string& renderer);

  private:
    AppParts parts_;
    std::string image_;
    bool only_drawn_;  // no window, but a picture of one, or of each step of a lecture
    Replay replay_;
    Job<std::unique_ptr<Engine>> engine_;
    Job<Picture> picture_;
};

}  // namespace ws
