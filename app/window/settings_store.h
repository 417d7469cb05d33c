#pragma once
// Keeps what the window remembers in its file: a moment after each change, and at the end.

#include <filesystem>
#include <string>

#include "app/window/saved_state.h"

namespace ws {

class SettingsStore {
  public:
    // `saved` is what the file holds or what is not worth a file; an empty path keeps nothing.
    SettingsStore(std::filesystem::path path, SavedState saved);

    // With the state of this frame and its time in seconds. Returns why the file cannot be written, once.
    [[nodiscard]] std::string update(const Work& work, const Preferences& preferences,
                                     const WindowPlace& window, const std::string& picture, double now);
    // A change is not in the file yet.
    [[nodiscard]] bool busy() const { return !path_.empty() && !failed_ && !(latest_ == saved_); }
    // Writes the latest state. Throws Error.
    void finish() const { save_state(path_, latest_); }

  private:
    std::filesystem::path path_;
    SavedState saved_;
    SavedState latest_;
    double changed_at_ = 0;
    bool failed_ = false;  // a file that cannot be written is reported once
};

}  // namespace ws
