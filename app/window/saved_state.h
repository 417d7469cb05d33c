#pragma once
// What the window remembers between starts, and the file that keeps it.

#include <filesystem>
#include <string>
#include <vector>

#include "app/state/work_edit.h"
#include "app/window/view_state.h"
#include "gpu/core/image.h"

namespace ws {

struct WindowPlace {
    Extent size{1600, 1000};  // when it is not full screen, in screen coordinates
    bool full_screen = false;
    friend bool operator==(const WindowPlace&, const WindowPlace&) = default;
};

struct SavedState {
    Work work;
    Preferences preferences;
    WindowPlace window;
    std::string picture;  // its path; empty: the built-in one
    friend bool operator==(const SavedState&, const SavedState&) = default;
};

// A state as it was read: edits, since what it was saved for may have changed meanwhile.
struct RestoredState {
    std::vector<WorkEdit> work;
    std::vector<ViewEdit> view;
    WindowPlace window;
    std::string picture;
    std::string problem;  // why the file could not be read
};

[[nodiscard]] std::filesystem::path settings_path();
// Nothing where the file is missing; a file that cannot be read is reported and left alone.
[[nodiscard]] RestoredState load_state(const std::filesystem::path& path);
// As the file has it.
[[nodiscard]] std::string state_text(const SavedState& state);
// An empty path keeps nothing. Throws Error.
void save_state(const std::filesystem::path& path, const SavedState& state);

}  // namespace ws
