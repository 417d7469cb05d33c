#include "app/window/view_state.h"

#include <algorithm>

namespace ws {
namespace {

struct Editor {
    ViewState& view;
    Extent picture;

    void operator()(const InspectStep& edit) const { view.preferences.step = edit.step; }
    void operator()(const InspectLine& edit) const { view.line = std::max(0, edit.line); }
    void operator()(const OpenPanel& edit) const { view.preferences.open_panels[edit.title] = edit.open; }
    void operator()(const ScaleText& edit) const {
        view.preferences.font_scale = std::clamp(edit.scale, kLeastFontScale, kMostFontScale);
    }
    void operator()(const MoveCamera& edit) const { view.camera = edit.camera; }
    void operator()(const OneToOne&) const {
        view.camera = {false, 1, float(picture.width) / 2, float(picture.height) / 2};
    }
    void operator()(const ShowKeySheet& edit) const { view.key_sheet = edit.on; }
    void operator()(const MeasureAll& edit) const { view.measuring_from = edit.from; }
};

}  // namespace

ViewState edited(ViewState view, const ViewEdit& edit, Extent picture) {
    std::visit(Editor{view, picture}, edit);
    return view;
}

}  // namespace ws
