#pragma once
// What the window remembers between starts beside the pipeline's settings, and the file that keeps both.

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "gpu/core/image.h"
#include "gpu/core/settings.h"

namespace ws {

struct Preferences {
    float font_scale = 1;
    Extent window{1600, 1000};
    bool full_screen = false;
    std::map<std::string, bool, std::less<>> open_panels;
    friend bool operator==(const Preferences&, const Preferences&) = default;
};

inline constexpr float kLeastFontScale = 0.6f;
inline constexpr float kMostFontScale = 2.5f;

struct SavedState {
    Settings settings;
    Preferences preferences;
};

[[nodiscard]] std::filesystem::path settings_path();
// Defaults where the file is missing; a file that cannot be read is reported in `problem` and left alone.
[[nodiscard]] SavedState load_state(const std::filesystem::path& path, std::string& problem);
// Throws Error.
void save_state(const std::filesystem::path& path, const SavedState& state);

}  // namespace ws
