#pragma once
// Which pictures lie where: one, two apart by a wipe, or two with their difference.

#include <array>
#include <cstdint>

#include "app/views/slots.h"
#include "app/window/view_state.h"
#include "gpu/core/snapshot.h"

namespace ws {

// A: what it is compared with. B: what is shown now.
enum class Side : std::uint8_t { a, b, difference };

struct PicturePart {
    Side side = Side::b;
    Area area;  // of the whole picture, in pixels of the framebuffer
    Area clip;  // of what is seen of it
};

struct PictureParts {
    std::array<PicturePart, 3> parts{};
    int count = 0;
    float wipe_x = 0;  // of the line between A and B; 0: there is none
};
// Where everything lies in a window that looks like this: a lecture has its band. An experiment has no slide.
[[nodiscard]] inline Slots slots_for(Extent window, const ViewState& view) {
    return slots_of(window, view.playing && (!view.slide.on || view.experiment.shown));
}
[[nodiscard]] PictureParts picture_parts(const Slots& slots, const ViewState& view, const Work& work);

// The difference takes the whole page of the story.
[[nodiscard]] inline bool shows_difference(const ViewState& view, const Work& work) {
    return view.preferences.tab == Tab::story && view.preferences.comparison.how == Compare::difference &&
           runs_anything(work);
}

// So do the curves of all versions.
[[nodiscard]] bool shows_curves(const ViewState& view);

}  // namespace ws
