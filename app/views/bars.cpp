// What frames every page: the bar at the top, tabs, the page's own controls, and the strip of versions.

#include <algorithm>
#include <array>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/lists.h"
#include "app/views/parts.h"
#include "app/views/picture_parts.h"
#include "app/views/rate.h"
#include "app/views/side_a.h"
#include "app/views/views.h"
#include "app/views/words.h"

namespace ws {
namespace {

constexpr std::array kViews{TabView{Tab::story, "tab.story", draw_story},
                            TabView{Tab::source, "tab.source", draw_source},
                            TabView{Tab::warp, "tab.warp", draw_warp},
                            TabView{Tab::occupancy, "tab.occupancy", draw_occupancy},
                            TabView{Tab::memory, "tab.memory", draw_memory},
                            TabView{Tab::gpu, "tab.gpu", draw_gpu},
                            TabView{Tab::debugger, "tab.debugger", draw_debugger}};
static_assert(kViews.size() == kTabs);

// Words of the bar that open a list below them.
Touch bar_words(Canvas& canvas, const char* id, Box& room, std::string_view words, float gap) {
    const float wide = std::min(canvas.width(words, Font::body) + canvas.px(8), room.w);
    const Box box{room.x, room.y, wide, room.h};
    const Touch touch = canvas.touch(id, box);
    canvas.tooltip(touch, say(text("tip.bar.{}", id)));
    canvas.text(box, words, Font::body, touch.hovered ? Ink::now : Ink::dim);
    room = room.after(std::min(room.w, wide + gap));
    return touch;
}

// What an experiment has in the bar: its name, which opens the list of labs, and the GPU.
void draw_experiment_name(const Stage& stage, Box room) {
    Canvas& canvas = stage.canvas;
    const std::string_view title = translated(stage.experiment->experiment->title);
    const Box head = room.left(std::min(canvas.width(title, Font::title) + 1, room.w));
    const Touch touch = canvas.touch("versions", head);
    canvas.text(head, title, Font::title, touch.hovered ? Ink::now : Ink::text);
    draw_list(stage, List::versions, touch, head);
    const float from = std::max(head.right() + canvas.px(40), room.x + room.w * 0.45f);
    Box rest{from, room.y, std::max(0.0f, room.right() - from), room.h};
    const Box at = rest;
    const std::string_view gpu = stage.experiment->outcome ? std::string_view(stage.experiment->outcome->gpu)
                                                           : gpu_name(stage.snapshot);
    draw_list(stage, List::gpus, bar_words(canvas, "gpu", rest, gpu, canvas.px(40)), at);
}

// Signs that no font has to have.
void sign_play(Canvas& canvas, Box box) {
    const float r = canvas.px(12);
    canvas.triangle({box.center_x() - r * 0.7f, box.center_y() - r}, {box.center_x() + r, box.center_y()},
                    {box.center_x() - r * 0.7f, box.center_y() + r}, Ink::text);
}
void sign_theme(Canvas& canvas, Box box) {
    canvas.ring(box.center_x(), box.center_y(), 11, Ink::text, 3);
    canvas.list().PathArcTo({box.center_x(), box.center_y()}, canvas.px(11), 1.5708f, 4.7124f);
    canvas.list().PathFillConvex(canvas.color(Ink::text));
}
void sign_keys(Canvas& canvas, Box box) {
    canvas.text(box, "?", Font::figure, Ink::text, Align::center);
}

void bar_button(const Stage& stage, const char* id, Box box, void (*sign)(Canvas&, Box), std::string_view tip,
                Edit edit) {
    Canvas& canvas = stage.canvas;
    const Touch touch = canvas.touch(id, box);
    canvas.fill(box, Ink::panel, 8);
    canvas.frame(box, touch.hovered ? Ink::now_fill : Ink::line, 8);
    sign(canvas, box);
    canvas.tooltip(touch, tip);
    if (touch.clicked) stage.edits.add(std::move(edit));
}

}  // namespace

std::span<const TabView> tab_views() {
    return kViews;
}

void draw_top_bar(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Snapshot& snapshot = stage.snapshot;
    const Box bar = stage.slots.top_bar;
    canvas.slot("top bar", bar);
    canvas.fill(bar, Ink::bar);
    canvas.line(bar.x, bar.bottom(), bar.right(), bar.bottom(), Ink::line);
    const float side = canvas.px(48);
    const float y = bar.center_y() - side / 2;
    float right = bar.right() - canvas.px(24);
    const auto place = [&](float width) {
        right -= width;
        const Box box{right, y, width, side};
        right -= canvas.px(16);
        return box;
    };
    bar_button(stage, "keys", place(side), sign_keys, say("bar.keys"), ShowKeySheet{!stage.view.key_sheet});
    bar_button(stage, "theme", place(side), sign_theme, say("bar.theme"),
               ChooseTheme{canvas.theme() == Theme::light ? Theme::dark : Theme::light});
    if (stage.experiment) {
        const float left = bar.x + canvas.px(24);
        draw_experiment_name(stage, {left, bar.y, right - left, bar.h});
        return;
    }
    bar_button(stage, "slide", place(side), sign_play, say("bar.slide"), ShowSlide{true});
    const std::string_view base = snapshot.told.baseline
                                      ? say("bar.baseline", baseline_name(snapshot, stage.view.preferences))
                                      : say("bar.no_baseline");
    const Box pin = place(std::min(canvas.width(base, Font::strong) + canvas.px(40), canvas.px(420)));
    const Touch baseline = button(canvas, "baseline", pin, base, ButtonLook::baseline);
    canvas.tooltip(baseline, say("tip.baseline"));
    draw_list(stage, List::baselines, baseline, pin);

    Box room{bar.x + canvas.px(24), bar.y, right - bar.x - canvas.px(24), bar.h};
    const Version& version = version_of(*snapshot.work.lab, snapshot.work.version);
    const std::string_view number = version_name(version.number);
    const std::string_view title = translated(version.title);
    const float number_wide = canvas.width(number, Font::title);
    const float title_wide = std::min(canvas.width(title, Font::title), room.w - number_wide - canvas.px(20));
    const Box head{room.x, room.y, number_wide + canvas.px(18) + title_wide, room.h};
    const Touch versions = canvas.touch("versions", head);
    canvas.text(head.left(number_wide + 1), number, Font::title, Ink::now);
    canvas.text(head.after(number_wide + canvas.px(18)), title, Font::title, Ink::text);
    draw_list(stage, List::versions, versions, head);
    // What follows has places of its own, however long the title is, where there is room.
    const float from = std::max(head.right() + canvas.px(40), bar.x + bar.w * 0.30f);
    room = Box{from, room.y, std::max(0.0f, room.right() - from), room.h};
    const float gap = canvas.px(40);
    const StepSnapshot& step = chosen_step(snapshot, stage.view.preferences.step);
    // A narrow window has no place for all of them: their lists open below the version.
    Box at = stage.slots.narrow ? head : room;
    draw_list(stage, List::gpus,
              stage.slots.narrow ? Touch() : bar_words(canvas, "gpu", room, gpu_name(snapshot), gap), at);
    at = room;
    draw_list(stage, List::block,
              bar_words(canvas, "block", room, say("bar.block", block_text(step.shape.block)), gap), at);
    at = stage.slots.narrow ? head : room;
    const Touch input =
        stage.slots.narrow ? Touch() : bar_words(canvas, "input", room, input_text(snapshot), gap);
    if (!snapshot.work.lab->takes_picture())
        draw_list(stage, List::sizes, input, at);
    else if (input.clicked)
        stage.edits.add(ShowOpenDialog{});
}

void draw_step_controls(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Box room = stage.slots.controls;
    canvas.slot("controls", room);
    const StepSnapshot& chosen = chosen_step(stage.snapshot, stage.view.preferences.step);
    float x = room.x;
    for (const StepSnapshot& step : stage.snapshot.steps) {
        if (!is_listed(stage.snapshot, step)) continue;
        const std::string_view name = translated(step.name);
        const float wide = button_width(canvas, name);
        ImGui::PushID(step.step);
        if (button(canvas, "step", {x, room.y, wide, room.h}, name,
                   &step == &chosen ? ButtonLook::chosen : ButtonLook::plain)
                .clicked)
            stage.edits.add(InspectStep{std::string(step.name)});
        ImGui::PopID();
        x += wide + canvas.px(8);
    }
}

void draw_tabs(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Box room = stage.slots.tabs;
    canvas.slot("tabs", room);
    canvas.fill(room, Ink::panel, 8);
    // As wide as their words want, the rest shared evenly.
    float words = 0;
    for (const TabView& tab : kViews) words += canvas.width(say(tab.title), Font::strong);
    const float pad = std::max(canvas.px(8), (room.w - words) / float(kViews.size()));
    float x = room.x;
    for (const TabView& tab : kViews) {
        const std::string_view title = say(tab.title);
        const Box box{x, room.y, canvas.width(title, Font::strong) + pad, room.h};
        const bool chosen = stage.view.preferences.tab == tab.tab;
        ImGui::PushID(int(tab.tab));
        const Touch touch = canvas.touch("tab", box);
        ImGui::PopID();
        const bool light = canvas.theme() == Theme::light;
        if (chosen) canvas.fill(box, light ? Ink::now_fill : Ink::now_soft, 8);
        canvas.text(box, title, chosen ? Font::strong : Font::body,
                    chosen          ? (light ? Ink::on_fill : Ink::now)
                    : touch.hovered ? Ink::now
                                    : Ink::dim,
                    Align::center);
        if (touch.clicked) stage.edits.add(ChooseTab{tab.tab});
        x += box.w;
    }
}

void draw_version_strip(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Snapshot& snapshot = stage.snapshot;
    const Box room = stage.slots.strip;
    canvas.slot("strip", room);
    const std::vector<Version>& versions = snapshot.work.lab->versions;
    const auto now = std::find_if(versions.begin(), versions.end(),
                                  [&](const Version& one) { return one.number == snapshot.work.version; });
    // Those around the one that is chosen, as many as there is room for.
    const int room_for = stage.slots.narrow ? 9 : 18;
    int first = 0;
    int count = int(versions.size());
    if (count > room_for) {
        first = std::clamp(int(now - versions.begin()) - room_for / 2, 0, count - room_for);
        count = room_for;
    }
    const Pin* pin = pin_of(stage.view.preferences, *snapshot.work.lab);
    const bool has_rate = shown_rate(snapshot) != Rate::none;
    const auto figure_of = [&](int number) {
        const auto found = snapshot.told.versions.find(number);
        if (found == snapshot.told.versions.end()) return 0.0;
        const std::optional<TimeFigure> time = time_of(found->second);
        return !time ? 0.0 : has_rate ? rate(found->second, time->ms) : time->ms;
    };
    double most = 0;
    for (const Version& version : versions) most = std::max(most, figure_of(version.number));
    for (int i = 0; i < count; ++i) {
        const Version& version = versions[std::size_t(first) + std::size_t(i)];
        const Box box = room.column(i, count, canvas.px(8));
        const bool is_now = version.number == snapshot.work.version;
        const bool is_base =
            !is_now && snapshot.told.baseline && snapshot.told.baseline->work.version == version.number;
        const bool missing = snapshot.unavailable.count(version.number) > 0;
        ImGui::PushID(version.number);
        const Touch touch = canvas.touch("version", box);
        ImGui::PopID();
        canvas.fill(box, is_now ? Ink::now_soft : is_base ? Ink::base_soft : Ink::panel, 8);
        if (is_now || is_base || touch.hovered)
            canvas.frame(box, is_base && !is_now ? Ink::base_fill : Ink::now_fill, 8,
                         is_now || is_base ? 3 : 2);
        const float pad = canvas.px(12);
        const Box bar{box.right() - pad - canvas.px(18), box.y + canvas.px(10), canvas.px(18),
                      box.h - canvas.px(20)};
        const Ink ink = is_now ? Ink::now : is_base ? Ink::base : missing ? Ink::dim : Ink::text;
        canvas.text({box.x + pad, box.y, bar.x - box.x - pad - canvas.px(2), box.h},
                    version_name(version.number), is_now || is_base ? Font::strong : Font::body, ink);
        canvas.fill(bar, Ink::context_soft, 3);
        if (const double figure = figure_of(version.number); figure > 0) {
            const float high = std::max(canvas.px(2), bar.h * float(figure / most));
            canvas.fill(bar.bottom_part(high),
                        is_now    ? Ink::now_fill
                        : is_base ? Ink::base_fill
                                  : Ink::context_strong,
                        2);
        }
        if (pin && pin->pinned.work.version == version.number) {
            const float x = box.center_x();
            const float wide = canvas.px(10);
            canvas.triangle({x - wide, box.y}, {x + wide, box.y}, {x, box.y + canvas.px(14)}, Ink::base_fill);
        }
        canvas.tooltip(touch, missing ? said(snapshot.unavailable.at(version.number))
                                      : text("{}  {}\n{}", version_name(version.number),
                                             translated(version.title), translated(version.changed)));
        if (touch.clicked && !missing) stage.edits.add(ChooseVersion{version.number});
        if (touch.right_clicked)
            stage.edits.add(KeepPin{{std::string(version_name(version.number)),
                                     {with_version(snapshot.work, version), snapshot.told.now.key.input},
                                     std::string(input_text(snapshot))}});
    }
}

}  // namespace ws
