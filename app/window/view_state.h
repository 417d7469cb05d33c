#pragma once
// What is looked at, and the edits of it. Changing it computes nothing.

#include <map>
#include <optional>
#include <string>
#include <variant>

#include "gpu/core/image.h"
#include "render/viewer.h"

namespace ws {

inline constexpr float kLeastFontScale = 0.6f;
inline constexpr float kMostFontScale = 2.5f;

// The part that the next start finds again.
struct Preferences {
    // Whose occupancy, counts and source are shown where several run; empty: the heaviest.
    std::string step;
    float font_scale = 1;                                  // kLeastFontScale to kMostFontScale
    std::map<std::string, bool, std::less<>> open_panels;  // those that were opened or closed, by title
    friend bool operator==(const Preferences&, const Preferences&) = default;
};

struct ViewState {
    Preferences preferences;
    int line = 0;  // of the step's source, whose accesses are drawn; 0: the one with the most traffic
    Camera camera;
    bool key_sheet = false;
    // While all versions are measured in turn: the one to come back to.
    std::optional<int> measuring_from;
};

struct InspectStep {
    std::string step;  // its name
};
struct InspectLine {
    int line = 0;
};
struct OpenPanel {
    std::string title;
    bool open = true;
};
struct ScaleText {
    float scale = 1;
};
struct MoveCamera {
    Camera camera;  // {}: the whole picture
};
// One picture pixel on one screen pixel.
struct OneToOne {};
struct ShowKeySheet {
    bool on = true;
};
// Walks through all versions until each has its times.
struct MeasureAll {
    std::optional<int> from;  // the version to come back to; none: stop here
};

using ViewEdit = std::variant<InspectStep, InspectLine, OpenPanel, ScaleText, MoveCamera, OneToOne,
                              ShowKeySheet, MeasureAll>;

// `view` after the edit, its values within their ranges; `picture` is the size of the one that is shown.
[[nodiscard]] ViewState edited(ViewState view, const ViewEdit& edit, Extent picture);

}  // namespace ws
