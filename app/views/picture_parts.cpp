#include "app/views/picture_parts.h"

#include <cmath>

#include "app/views/side_a.h"

namespace ws {
namespace {

Area area_of(const Box& box) {
    return {int(box.x), int(box.y), int(box.w), int(box.h)};
}

}  // namespace

bool shows_curves(const ViewState& view) {
    return view.story.curves && view.preferences.tab == Tab::story && !view.slide.on;
}

PictureParts picture_parts(const Slots& slots, const ViewState& view, const Work& work) {
    PictureParts made;
    if (view.slide.blank) return made;
    if (view.playing && view.playing->asking()) return made;  // it may show the truth
    if (!view.slide.on && view.preferences.tab != Tab::story) return made;
    if (shows_curves(view)) return made;
    const Area area = area_of(view.slide.on ? slots.slide_picture : slots.picture);
    // The original beside itself says nothing.
    const bool alone = !runs_anything(work) && side_a(view, work).kind == SideA::Kind::input;
    if (view.only_a || alone) {
        made.parts[0] = {Side::a, area, area};
        made.count = 1;
        return made;
    }
    switch (view.preferences.comparison.how) {
        case Compare::difference:
            if (view.slide.on || !runs_anything(work)) break;
            for (int i = 0; i < 3; ++i) {
                const Area part = area_of(slots.pictures[i]);
                if (slots.narrow && i == 1) continue;
                made.parts[std::size_t(made.count++)] = {Side(i), part, part};
            }
            return made;
        case Compare::wipe: {
            const int left = int(std::lround(float(area.width) * view.preferences.comparison.wipe));
            made.parts[0] = {Side::a, area, {area.x, area.y, left, area.height}};
            made.parts[1] = {Side::b, area, {area.x + left, area.y, area.width - left, area.height}};
            made.count = 2;
            made.wipe_x = float(area.x + left);
            return made;
        }
        case Compare::beside: {
            const int half = (area.width - area.width / 200) / 2;
            const Area left{area.x, area.y, half, area.height};
            const Area right{area.x + area.width - half, area.y, half, area.height};
            made.parts[0] = {Side::a, left, left};
            made.parts[1] = {Side::b, right, right};
            made.count = 2;
            return made;
        }
        case Compare::single:
            break;
    }
    made.parts[0] = {Side::b, area, area};
    made.count = 1;
    return made;
}

}  // namespace ws
