// The story's own controls: which view is shown, how it stands beside A, and what A is.

#include <algorithm>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/curve_axis.h"
#include "app/views/lists.h"
#include "app/views/picture_parts.h"
#include "app/views/views.h"
#include "app/views/words.h"

namespace ws {
namespace {

// Pictures of the lab, and of the versions of its steps.
float draw_choices(const Stage& stage, Box room) {
    Canvas& canvas = stage.canvas;
    const Lab& lab = *stage.snapshot.work.lab;
    const View& now = view_of(stage.snapshot);
    ButtonRow row(canvas, room);
    for (std::size_t i = 0; i < lab.views.size(); ++i) {
        const View& view = lab.views[i];
        if (!view.base.empty()) continue;  // by the key of what it leaves out
        const bool chosen = view.name == now.name || view.name == now.base;
        ImGui::PushID(int(i));
        if (row.add("view", translated(view.name), chosen ? ButtonLook::chosen : ButtonLook::plain).clicked)
            stage.edits.add(ChooseView{int(i)});
        ImGui::PopID();
    }
    if (axis_count(stage.snapshot) == 0) return row.rest().x;
    // Beside what says how the result is compared there is not room for it in every window and language: `v`
    // is its key.
    const float others = canvas.px(16) + button_width(canvas, say("compare.difference")) +
                         button_width(canvas, say("compare.wipe")) + button_width(canvas, "A");
    if (row.rest().w - canvas.px(16) - button_width(canvas, say("curves.all")) < others + canvas.px(16))
        return row.rest().x;
    row.skip(canvas.px(16));
    const Touch touch = row.add("all versions", say("curves.all"), ButtonLook::outlined);
    canvas.tooltip(touch, say("tip.curves"));
    if (touch.clicked) stage.edits.add(ShowCurves{true});
    return row.rest().x;
}

// In a word or two.
std::string_view short_a(const Stage& stage) {
    const SideA a = side_a(stage.view, stage.snapshot.work);
    const Lab& lab = *stage.snapshot.work.lab;
    switch (a.kind) {
        case SideA::Kind::input:
            return translated(lab.views.front().name);
        case SideA::Kind::defined:
            return translated(lab.views[std::size_t(a.view)].name);
        case SideA::Kind::result:
            break;
    }
    if (a.of.kind == ResultOf::Kind::version) return version_name(a.of.version);
    return stage.snapshot.told.baseline ? version_name(stage.snapshot.told.baseline->work.version) : "–";
}

// How much a difference is amplified: powers of two.
void draw_amplification(const Stage& stage, Box room) {
    Canvas& canvas = stage.canvas;
    constexpr int kSteps = 7;  // 1 to 64
    const int now = stage.view.preferences.comparison.amplification;
    const float at = std::log2(float(now)) / float(kSteps - 1);
    const Box value = room.right_part(canvas.px(64));
    const float moved = slider(canvas, "amplification", room.before(canvas.px(68)), at, kSteps);
    canvas.text(value, text("{}×", now), Font::strong, Ink::text, Align::right);
    const int chosen = 1 << int(std::lround(moved * float(kSteps - 1)));
    if (moved != at && chosen != now) stage.edits.add(Amplify{chosen});
}

}  // namespace

void draw_view_controls(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Box room = stage.slots.controls;
    canvas.slot("controls", room);
    const float choices = draw_choices(stage, room);
    const Preferences& kept = stage.view.preferences;
    const Compare now = kept.comparison.how;
    float right = room.right();
    struct Way {
        Compare compare;
        std::string_view key;
    };
    const bool compares = shows_difference(stage.view, stage.snapshot.work);
    if (compares) {
        const Box amplification = room.right_part(canvas.px(180));
        draw_amplification(stage, amplification);
        right = amplification.x - canvas.px(8);
    }
    for (const Way& way :
         {Way{Compare::difference, "compare.difference"}, Way{Compare::wipe, "compare.wipe"}}) {
        // The slider of a difference takes the place of the other button.
        if (way.compare == Compare::wipe && compares) continue;
        const std::string_view label = say(way.key);
        const float wide = button_width(canvas, label);
        right -= wide;
        const bool on = now == way.compare;
        ImGui::PushID(int(way.compare));
        if (button(canvas, "compare", {right, room.y, wide, room.h}, label,
                   on ? ButtonLook::outlined : ButtonLook::plain)
                .clicked)
            stage.edits.add(ChooseCompare{on ? Compare::single : way.compare});
        ImGui::PopID();
        right -= canvas.px(10);
    }
    // Between the views and the ways: what A is, or its letter alone where that has no room.
    const std::string_view whole = say("compare.a", short_a(stage));
    const std::string_view label =
        button_width(canvas, whole) <= right - choices ? whole : std::string_view("A");
    const float wide = std::min(button_width(canvas, label), right - choices);
    const Box chooser{right - wide, room.y, wide, room.h};
    const Touch touch =
        button(canvas, "a", chooser, label,
               kept.comparison.a.kind == ChosenA::Kind::usual ? ButtonLook::plain : ButtonLook::outlined);
    canvas.tooltip(touch, say("compare.a.tip"));
    draw_list(stage, List::a, touch, chooser);
}

}  // namespace ws
