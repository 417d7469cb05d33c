#pragma once
// Saves the original and the result, as soon as the screen shows what the work asks for: a caption must be
// true.

#include <filesystem>

#include "app/window/capture.h"
#include "app/window/notices.h"
#include "app/window/picture_screen.h"
#include "app/window/saved_state.h"
#include "app/window/session.h"
#include "gpu/core/snapshot.h"

namespace ws {

class Engine;

class PictureSaver {
  public:
    explicit PictureSaver(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // Asks for what one of the next updates saves; while files are being written, once they are. `detail`:
    // the part of the pictures that is shown, as it is shown.
    void save(bool detail) {
        wanted_ = true;
        detail_ = detail;
    }
    // After a frame was drawn, and before it is presented.
    void update(const SavedState& state, const ViewState& view, const Engine& engine,
                const PictureScreen& screen, const Session& session, Notices& notices);
    // One of the next updates saves.
    [[nodiscard]] bool wanted() const { return wanted_; }
    // Files are being written.
    [[nodiscard]] bool busy() const { return writer_.busy(); }

  private:
    [[nodiscard]] bool refuses(const Work& work, const Engine& engine, Notices& notices);
    std::filesystem::path folder_;
    CaptureWriter writer_;
    bool wanted_ = false;
    bool detail_ = false;
};

}  // namespace ws
