#include "app/views/slots.h"

#include <algorithm>
#include <cmath>

namespace ws {
namespace {

// Edges on whole pixels: a line is as sharp on every screen.
Box part(const Box& whole, float x, float y, float w, float h) {
    const float left = std::round(whole.w * x);
    const float top = std::round(whole.h * y);
    return {left, top, std::round(whole.w * (x + w)) - left, std::round(whole.h * (y + h)) - top};
}

void place_wide(Slots& slots) {
    const Box all = slots.window;
    slots.controls = part(all, .0125f, .078f, .481f, .044f);
    slots.tabs = part(all, .506f, .078f, .481f, .044f);
    slots.content = part(all, .0125f, .137f, .975f, .759f);
    slots.page_headline = part(all, .0125f, .137f, .975f, .10f);
    slots.page = part(all, .0125f, .252f, .975f, .644f);
    slots.picture = part(all, .0125f, .137f, .481f, .530f);
    slots.headline = part(all, .506f, .137f, .481f, .130f);
    slots.chart = part(all, .506f, .278f, .481f, .389f);
    slots.block = part(all, .0125f, .681f, .317f, .215f);
    slots.occupancy = part(all, .342f, .681f, .317f, .215f);
    slots.limits = part(all, .671f, .681f, .317f, .215f);
    slots.pictures[0] = part(all, .0125f, .252f, .317f, .326f);
    slots.pictures[1] = part(all, .342f, .252f, .317f, .326f);
    slots.pictures[2] = part(all, .671f, .252f, .317f, .326f);
    slots.numbers = part(all, .0125f, .593f, .317f, .304f);
    slots.places = part(all, .342f, .593f, .646f, .304f);
}

// The three panels and the chart are pages of one slot; so are a difference's numbers and places.
void place_narrow(Slots& slots) {
    const Box all = slots.window;
    slots.controls = part(all, .0125f, .078f, .975f, .044f);
    slots.tabs = part(all, .0125f, .130f, .975f, .044f);
    slots.content = part(all, .0125f, .185f, .975f, .711f);
    slots.page_headline = part(all, .0125f, .185f, .975f, .10f);
    slots.page = part(all, .0125f, .295f, .975f, .601f);
    slots.picture = part(all, .0125f, .185f, .975f, .300f);
    slots.headline = part(all, .0125f, .490f, .975f, .145f);
    slots.chart = slots.block = slots.occupancy = slots.limits = part(all, .0125f, .655f, .975f, .241f);
    slots.pictures[0] = part(all, .0125f, .295f, .482f, .30f);
    slots.pictures[1] = slots.pictures[0];
    slots.pictures[2] = part(all, .505f, .295f, .482f, .30f);
    slots.numbers = slots.places = part(all, .0125f, .605f, .975f, .291f);
}

void place_slide(Slots& slots) {
    const Box all = slots.window;
    slots.slide_title = part(all, .025f, .030f, .95f, .085f);
    slots.slide_sentence = part(all, .025f, .112f, .95f, .082f);
    slots.slide_steps = part(all, .025f, .895f, .95f, .065f);
    if (slots.narrow) {
        slots.slide_picture = part(all, .025f, .200f, .95f, .44f);
        slots.slide_bars = part(all, .025f, .655f, .45f, .23f);
        slots.slide_number = part(all, .505f, .655f, .47f, .14f);
        slots.slide_count = part(all, .505f, .80f, .47f, .08f);
        return;
    }
    slots.slide_picture = part(all, .025f, .200f, .583f, .659f);
    slots.slide_bars = part(all, .642f, .200f, .333f, .44f);
    slots.slide_number = part(all, .642f, .665f, .333f, .13f);
    slots.slide_count = part(all, .642f, .80f, .333f, .08f);
}

}  // namespace

Slots slots_of(Extent window, bool lecture) {
    if (lecture) {
        constexpr float kBand = 0.1f;
        const int band = int(std::round(float(window.height) * kBand));
        Slots slots = slots_of({window.width, window.height - band});
        slots.lecture = {0, slots.window.h, slots.window.w, float(band)};
        return slots;
    }
    Slots slots;
    slots.window = {0, 0, float(window.width), float(window.height)};
    constexpr float kNarrow = 1.5f;
    slots.narrow = slots.window.w < kNarrow * slots.window.h;
    const float by_height = slots.window.h / 1080;
    const float by_width = slots.window.w / (slots.narrow ? 1440 : 1920);
    slots.unit = std::min(by_height, by_width);
    slots.top_bar = part(slots.window, 0, 0, 1, .067f);
    slots.strip = part(slots.window, .0125f, .911f, .975f, .067f);
    if (slots.narrow)
        place_narrow(slots);
    else
        place_wide(slots);
    place_slide(slots);
    return slots;
}

}  // namespace ws
