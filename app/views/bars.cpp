// What frames every page: the bar at the top, tabs, the page's own controls, and the strip of versions.

#include <algorithm>
#include <array>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/picture_parts.h"
#include "app/views/views.h"
#include "app/views/words.h"
#include "gpu/labs/labs.h"

namespace ws {
namespace {

constexpr std::array kViews{
    TabView{Tab::story, "tab.story", draw_story},    TabView{Tab::source, "tab.source", draw_source},
    TabView{Tab::warp, "tab.warp", draw_warp},       TabView{Tab::occupancy, "tab.occupancy", draw_occupancy},
    TabView{Tab::memory, "tab.memory", draw_memory}, TabView{Tab::gpu, "tab.gpu", draw_gpu}};
static_assert(kViews.size() == kTabs);

// Words of the bar that open a list below them.
Touch bar_words(Canvas& canvas, const char* id, Box& room, std::string_view words, float gap) {
    const float wide = std::min(canvas.width(words, Font::body) + canvas.px(8), room.w);
    const Box box{room.x, room.y, wide, room.h};
    const Touch touch = canvas.touch(id, box);
    canvas.text(box, words, Font::body, touch.hovered ? Ink::now : Ink::dim);
    room = room.after(std::min(room.w, wide + gap));
    return touch;
}

void begin_list(const Box& below) {
    ImGui::SetNextWindowPos({below.x, below.bottom()}, ImGuiCond_Appearing);
}

void list_labs_and_versions(const Stage& stage) {
    const Work& work = stage.snapshot.work;
    for (const Lab* lab : labs()) {
        if (ImGui::Selectable(text("{}: {}", lab->title, lab->question).data(), lab == work.lab))
            stage.edits.add(ChooseLab{std::string(lab->id)});
    }
    ImGui::Separator();
    for (const Version& version : work.lab->versions) {
        const auto missing = stage.snapshot.unavailable.find(version.number);
        const bool available = missing == stage.snapshot.unavailable.end();
        const std::string_view label = text("{}  {}", version_name(version.number), version.title);
        if (ImGui::Selectable(label.data(), version.number == work.version,
                              available ? 0 : ImGuiSelectableFlags_Disabled))
            stage.edits.add(ChooseVersion{version.number});
        if (!available && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
            ImGui::SetTooltip("%s", missing->second.c_str());
    }
}

void list_gpus(const Stage& stage) {
    const Snapshot& snapshot = stage.snapshot;
    for (const DeviceKind kind :
         {DeviceKind::automatic, DeviceKind::cuda, DeviceKind::simt, DeviceKind::cpu}) {
        if (ImGui::Selectable(say(text("device.{}", name_of(kind))).data(), snapshot.work.device == kind))
            stage.edits.add(ChooseDevice{kind});
    }
    ImGui::Separator();
    const std::string& chosen = snapshot.work.target_gpu;
    if (ImGui::Selectable(say("gpu.automatic", snapshot.automatic_target).data(), chosen.empty()))
        stage.edits.add(ChooseGpu{});
    for (const std::string& name : snapshot.profile_names) {
        if (ImGui::Selectable(name.c_str(), chosen == name)) stage.edits.add(ChooseGpu{name});
    }
}

void list_sizes(const Stage& stage) {
    const Work& work = stage.snapshot.work;
    for (const Extent size : work.lab->sizes) {
        if (ImGui::Selectable(size_text(size).data(), work.size == size)) stage.edits.add(ChooseSize{size});
    }
}

void list_knobs(const Stage& stage) {
    const StepSnapshot& step = chosen_step(stage.snapshot, stage.view.preferences.step);
    for (const StepSnapshot& other : stage.snapshot.steps) {
        if (!is_listed(stage.snapshot, other)) continue;
        if (ImGui::Selectable(text("{}  {}", other.name, block_text(other.block)).data(), &other == &step,
                              ImGuiSelectableFlags_DontClosePopups))
            stage.edits.add(InspectStep{std::string(other.name)});
    }
    ImGui::Separator();
    for (const Knob& knob : step.source.knobs) {
        if (knob.name == "BLOCK_X" || knob.name == "BLOCK_Y") continue;
        const auto in_force = step.knobs.find(knob.name);
        int value = in_force != step.knobs.end() ? in_force->second : knob.value;
        ImGui::SetNextItemWidth(stage.canvas.px(240));
        if (ImGui::SliderInt(knob.name.c_str(), &value, knob.low, knob.high, "%d",
                             ImGuiSliderFlags_AlwaysClamp))
            stage.edits.add(ChooseKnob{knob.name, value});
        if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", knob.meaning.c_str());
    }
    if (ImGui::Selectable(say("block.own").data()))
        stage.edits.add(ChooseVersion{stage.snapshot.work.version});
}

void list_baselines(const Stage& stage) {
    const Preferences& kept = stage.view.preferences;
    if (ImGui::Selectable(say("baseline.before").data(), kept.baseline < 0))
        stage.edits.add(ChooseBaseline{-1});
    for (std::size_t i = 0; i < kept.pins.size(); ++i) {
        ImGui::PushID(int(i));
        if (ImGui::Selectable(text("{}, {}", kept.pins[i].name, kept.pins[i].input).data(),
                              kept.baseline == int(i)))
            stage.edits.add(ChooseBaseline{int(i)});
        ImGui::PopID();
    }
    ImGui::Separator();
    if (ImGui::Selectable(say("baseline.pin").data())) {
        const Snapshot& snapshot = stage.snapshot;
        stage.edits.add(KeepPin{{std::string(version_name(snapshot.work.version)),
                                 {snapshot.work, snapshot.now.key.input},
                                 snapshot.input_name}});
    }
    if (kept.pin() && ImGui::Selectable(say("baseline.drop").data())) stage.edits.add(DropPin{kept.baseline});
}

// Opens a list below a place of the bar when that is clicked, and draws it while it is open.
void list(const char* id, const Touch& touch, const Box& below, void (*draw)(const Stage&),
          const Stage& stage) {
    if (touch.clicked) ImGui::OpenPopup(id);
    begin_list(below);
    ImGui::SetNextWindowSizeConstraints({stage.canvas.px(280), 0},
                                        {stage.slots.window.w * 0.8f, stage.slots.window.h * 0.8f});
    if (!ImGui::BeginPopup(id)) return;
    draw(stage);
    ImGui::EndPopup();
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

// Pictures of the lab, and of the versions of its steps.
float draw_choices(const Stage& stage, Box room) {
    Canvas& canvas = stage.canvas;
    const Lab& lab = *stage.snapshot.work.lab;
    const View& now = view_of(stage.snapshot);
    float x = room.x;
    for (std::size_t i = 0; i < lab.views.size(); ++i) {
        const View& view = lab.views[i];
        if (!view.base.empty()) continue;  // by the key of what it leaves out
        const bool chosen = view.name == now.name || view.name == now.base;
        const float wide = button_width(canvas, view.name);
        ImGui::PushID(int(i));
        if (button(canvas, "view", {x, room.y, wide, room.h}, view.name,
                   chosen ? ButtonLook::chosen : ButtonLook::plain)
                .clicked)
            stage.edits.add(ChooseView{int(i)});
        ImGui::PopID();
        x += wide + canvas.px(8);
    }
    return x;
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
    bar_button(stage, "slide", place(side), sign_play, say("bar.slide"), ShowSlide{true});
    const std::string_view base =
        snapshot.baseline ? say("bar.baseline", baseline_name(snapshot)) : say("bar.no_baseline");
    const Box pin = place(std::min(canvas.width(base, Font::strong) + canvas.px(40), canvas.px(420)));
    list("baselines", button(canvas, "baseline", pin, base, ButtonLook::baseline), pin, list_baselines,
         stage);

    Box room{bar.x + canvas.px(24), bar.y, right - bar.x - canvas.px(24), bar.h};
    const Version& version = version_of(*snapshot.work.lab, snapshot.work.version);
    const std::string_view number = version_name(version.number);
    const float number_wide = canvas.width(number, Font::title);
    const float title_wide =
        std::min(canvas.width(version.title, Font::title), room.w - number_wide - canvas.px(20));
    const Box head{room.x, room.y, number_wide + canvas.px(18) + title_wide, room.h};
    const Touch versions = canvas.touch("versions", head);
    canvas.text(head.left(number_wide + 1), number, Font::title, Ink::now);
    canvas.text(head.after(number_wide + canvas.px(18)), version.title, Font::title, Ink::text);
    list("##versions", versions, head, list_labs_and_versions, stage);
    // What follows has places of its own, however long the title is, where there is room.
    const float from = std::max(head.right() + canvas.px(40), bar.x + bar.w * 0.30f);
    room = Box{from, room.y, std::max(0.0f, room.right() - from), room.h};
    const float gap = canvas.px(40);
    const StepSnapshot& step = chosen_step(snapshot, stage.view.preferences.step);
    if (!stage.slots.narrow) {
        const Box at = room;
        list("##gpus", bar_words(canvas, "gpu", room, gpu_name(snapshot), gap), at, list_gpus, stage);
    }
    const Box block_at = room;
    list("##knobs", bar_words(canvas, "block", room, say("bar.block", block_text(step.block)), gap), block_at,
         list_knobs, stage);
    if (stage.slots.narrow) return;
    const Box input_at = room;
    const Touch input = bar_words(canvas, "input", room, snapshot.input_name, gap);
    if (snapshot.work.lab->takes_picture()) {
        if (input.clicked) stage.edits.add(ShowOpenDialog{});
    } else {
        list("##sizes", input, input_at, list_sizes, stage);
    }
}

namespace {

// How much a difference is amplified: powers of two.
void draw_amplification(const Stage& stage, Box room) {
    Canvas& canvas = stage.canvas;
    constexpr int kSteps = 7;  // 1 to 64
    const int now = stage.view.preferences.amplification;
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
    draw_choices(stage, room);
    const Preferences& kept = stage.view.preferences;
    const Compare now = kept.compare;
    float right = room.right();
    struct Way {
        Compare compare;
        std::string_view key;
    };
    const bool compares = shows_difference(stage.view, stage.snapshot.work);
    if (compares) {
        const Box amplification = room.right_part(canvas.px(220));
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
}

void draw_step_controls(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Box room = stage.slots.controls;
    canvas.slot("controls", room);
    const StepSnapshot& chosen = chosen_step(stage.snapshot, stage.view.preferences.step);
    float x = room.x;
    for (const StepSnapshot& step : stage.snapshot.steps) {
        if (!is_listed(stage.snapshot, step)) continue;
        const float wide = button_width(canvas, step.name);
        ImGui::PushID(step.step);
        if (button(canvas, "step", {x, room.y, wide, room.h}, step.name,
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
    // A narrow window shows the nine around the one that is chosen.
    int first = 0;
    int count = int(versions.size());
    if (stage.slots.narrow && count > 9) {
        first = std::clamp(int(now - versions.begin()) - 4, 0, count - 9);
        count = 9;
    }
    const bool moves = snapshot.work.lab->bandwidth;
    const auto figure_of = [&](int number) {
        const auto found = snapshot.versions.find(number);
        const std::optional<TimeFigure> time =
            found == snapshot.versions.end() ? std::nullopt : time_of(found->second);
        return !time ? 0 : moves ? bandwidth(snapshot, time->ms) : time->ms;
    };
    double most = 0;
    for (const Version& version : versions) most = std::max(most, figure_of(version.number));
    for (int i = 0; i < count; ++i) {
        const Version& version = versions[std::size_t(first) + std::size_t(i)];
        const Box box = room.column(i, count, canvas.px(8));
        const bool is_now = version.number == snapshot.work.version;
        const bool is_base =
            !is_now && snapshot.baseline && snapshot.baseline->work.version == version.number;
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
        canvas.tooltip(touch, missing ? std::string_view(snapshot.unavailable.at(version.number))
                                      : text("{}  {}\n{}", version_name(version.number), version.title,
                                             version.changed));
        if (touch.clicked && !missing) stage.edits.add(ChooseVersion{version.number});
        if (touch.right_clicked)
            stage.edits.add(KeepPin{{std::string(version_name(version.number)),
                                     {with_version(snapshot.work, version), snapshot.now.key.input},
                                     snapshot.input_name}});
    }
}

}  // namespace ws
