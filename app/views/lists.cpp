#include "app/views/lists.h"

#include <algorithm>
#include <array>

#include "app/texts/texts.h"
#include "app/views/words.h"
#include "gpu/labs/labs.h"

namespace ws {
namespace {

// The rows of the open list, one after the other.
class Rows {
  public:
    explicit Rows(const Stage& stage) : stage_(stage), list_(stage.view.list) {}

    // True if it is taken. A row that is not enabled is shown and never taken.
    bool row(std::string_view label, bool chosen, bool enabled = true) {
        return add(label, chosen, chosen, enabled);
    }
    // One that is chosen already, and where the keys do not begin: what lies within it does.
    bool outer_row(std::string_view label, bool chosen) { return add(label, chosen, false, true); }
    // A field that Enter goes into; true if what is typed there was changed.
    bool field(const char* hint, char* typed, std::size_t size) {
        const bool here = next(false);
        if (here) ImGui::PushStyleColor(ImGuiCol_FrameBg, ImGui::GetStyleColorVec4(ImGuiCol_Header));
        ImGui::SetNextItemWidth(stage_.canvas.px(360));
        if (here && list_.take) ImGui::SetKeyboardFocusHere();
        const bool changed = ImGui::InputTextWithHint("##field", hint, typed, size);
        if (here) ImGui::PopStyleColor();
        show(here);
        return changed;
    }
    // True if the value was changed.
    bool slider(const char* label, int& value, int low, int high) {
        const bool here = next(false);
        if (here) ImGui::PushStyleColor(ImGuiCol_FrameBg, ImGui::GetStyleColorVec4(ImGuiCol_Header));
        ImGui::SetNextItemWidth(stage_.canvas.px(240));
        bool changed = ImGui::SliderInt(label, &value, low, high, "%d", ImGuiSliderFlags_AlwaysClamp);
        if (here) ImGui::PopStyleColor();
        show(here);
        if (here && list_.turn != 0) {
            value = std::clamp(value + list_.turn, low, high);
            changed = true;
        }
        return changed;
    }
    // What the keys asked for is done; they stay within the rows.
    void finish() {
        const int row = std::clamp(first_ >= 0 ? first_ : list_.row, 0, std::max(0, count_ - 1));
        if (row != list_.row || list_.turn != 0 || list_.take) stage_.edits.add(MoveInList{row});
    }

  private:
    bool add(std::string_view label, bool ticked, bool begins, bool enabled) {
        const bool here = next(begins);
        ImGui::PushID(count_);
        const bool clicked = ImGui::Selectable(text("{}{}", ticked ? "✓ " : "   ", label).data(), here,
                                               enabled ? 0 : ImGuiSelectableFlags_Disabled);
        ImGui::PopID();
        show(here);
        return enabled && (clicked || (here && list_.take));
    }
    // Whether the keys are at the row that follows.
    bool next(bool chosen) {
        const int at = count_++;
        if (list_.row >= 0) return at == list_.row;
        if (chosen && first_ < 0) first_ = at;
        return first_ == at;
    }
    static void show(bool here) {
        if (here && !ImGui::IsItemVisible()) ImGui::SetScrollHereY();
    }

    const Stage& stage_;
    const OpenedList& list_;
    int count_ = 0;
    int first_ = -1;  // the row that is chosen, where the keys begin
};

void list_versions(const Stage& stage, Rows& rows) {
    const Work& work = stage.snapshot.work;
    for (const Lab* lab : labs()) {
        const bool shown = !stage.experiment && lab == work.lab;
        if (!rows.outer_row(text("{}: {}", translated(lab->title), translated(lab->question)), shown))
            continue;
        stage.edits.add(ChooseLab{std::string(lab->id)});
        stage.edits.add(CloseList{List::versions});
    }
    for (const Experiment* experiment : experiments()) {
        const bool shown = stage.experiment && stage.experiment->experiment == experiment;
        if (!rows.row(text("{}: {}", translated(experiment->title), translated(experiment->question)), shown))
            continue;
        stage.edits.add(ShowExperiment{experiment});
        stage.edits.add(CloseList{List::versions});
    }
    if (stage.experiment) return;
    ImGui::Separator();
    for (const Version& version : work.lab->versions) {
        const auto missing = stage.snapshot.unavailable.find(version.number);
        const bool available = missing == stage.snapshot.unavailable.end();
        if (rows.row(text("{}  {}", version_name(version.number), translated(version.title)),
                     version.number == work.version, available)) {
            stage.edits.add(ChooseVersion{version.number});
            stage.edits.add(CloseList{List::versions});
        }
        if (!available && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
            ImGui::SetTooltip("%s", said(missing->second).data());
    }
}

void list_gpus(const Stage& stage, Rows& rows) {
    const Snapshot& snapshot = stage.snapshot;
    const auto take = [&](bool taken, const WorkEdit& edit) {
        if (!taken) return;
        stage.edits.add(edit);
        stage.edits.add(CloseList{List::gpus});
    };
    const std::string& chosen = snapshot.work.target_gpu;
    take(rows.row(say("gpu.automatic", snapshot.target.automatic), chosen.empty()), ChooseGpu{});
    for (const std::string& name : snapshot.target.names)
        take(rows.row(name, chosen == name), ChooseGpu{name});
    ImGui::Separator();
    for (const DeviceKind kind : {DeviceKind::automatic, DeviceKind::cuda, DeviceKind::simt, DeviceKind::cpu})
        take(rows.row(say(text("device.{}", name_of(kind))),
                      snapshot.work.device == kind && snapshot.work.cuda_gpu == kAnyGpu),
             ChooseDevice{kind});
    // Those of one name differ in number and address.
    for (const DeviceFacts& gpu : snapshot.target.here) {
        const DeviceChoice choice{DeviceKind::cuda, gpu.place.number};
        take(rows.row(text("{}  {}  {}", name_of(choice), gpu.name, gpu.place.pci_address),
                      snapshot.work.device == choice.kind && snapshot.work.cuda_gpu == choice.gpu),
             ChooseDevice{choice.kind, choice.gpu});
    }
}

void list_sizes(const Stage& stage, Rows& rows) {
    const Work& work = stage.snapshot.work;
    for (const Extent size : work.lab->sizes.swept) {
        if (!rows.row(size_text(size), work.size == size)) continue;
        stage.edits.add(ChooseSize{size});
        stage.edits.add(CloseList{List::sizes});
    }
}

// Stays open: a kernel is chosen, then its knobs.
void list_block(const Stage& stage, Rows& rows) {
    const StepSnapshot& step = chosen_step(stage.snapshot, stage.view.preferences.step);
    for (const StepSnapshot& other : stage.snapshot.steps) {
        if (!is_listed(stage.snapshot, other)) continue;
        if (rows.row(text("{}  {}", translated(other.name), block_text(other.shape.block)), &other == &step))
            stage.edits.add(InspectStep{std::string(other.name)});
    }
    ImGui::Separator();
    for (const Knob& knob : step.source.knobs) {
        if (is_block_side(knob)) continue;
        int value = value_of(step, knob);
        if (rows.slider(knob.name.c_str(), value, knob.low, knob.high))
            stage.edits.add(ChooseKnob{knob.name, value});
        if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", text("{}", translated(knob.meaning)).data());
    }
    if (rows.row(say("block.own"), false)) stage.edits.add(ChooseVersion{stage.snapshot.work.version});
}

// A field for the name of the baseline, where one is pinned.
void name_baseline(const Stage& stage, Rows& rows) {
    const Preferences& kept = stage.view.preferences;
    const Pin* pin = kept.pin();
    if (!pin) return;
    char typed[kMostPinName + 1] = {};
    pin->given.copy(typed, kMostPinName);
    ImGui::PushID(kept.baseline);
    if (rows.field(say("baseline.name").data(), typed, sizeof typed))
        stage.edits.add(NamePin{kept.baseline, typed});
    ImGui::PopID();
}

void list_baselines(const Stage& stage, Rows& rows) {
    const Preferences& kept = stage.view.preferences;
    const auto take = [&](bool taken, const ViewEdit& edit) {
        if (!taken) return;
        stage.edits.add(edit);
        stage.edits.add(CloseList{List::baselines});
    };
    take(rows.row(say("baseline.before"), kept.baseline < 0), ChooseBaseline{-1});
    for (std::size_t i = 0; i < kept.pins.size(); ++i) {
        const Pin& pin = kept.pins[i];
        const std::string_view what = text("{}, {}", pin.name, pin.input);
        take(rows.row(pin.given.empty() ? what : text("{}  ({})", pin.given, what), kept.baseline == int(i)),
             ChooseBaseline{int(i)});
    }
    name_baseline(stage, rows);
    ImGui::Separator();
    if (rows.row(say("baseline.pin"), false)) {
        stage.edits.add(PinNow{});
        stage.edits.add(CloseList{List::baselines});
    }
    if (kept.pin()) take(rows.row(say("baseline.drop"), false), DropPin{kept.baseline});
}

// What A may be.
void list_a(const Stage& stage, Rows& rows) {
    const Work& work = stage.snapshot.work;
    const auto row = [&](std::string_view label, const ChosenA& a) {
        if (!rows.row(label, stage.view.preferences.comparison.a == a)) return;
        stage.edits.add(ChooseA{a});
        stage.edits.add(CloseList{List::a});
    };
    row(say("a.usual"), {});
    for (const View& view : work.lab->views) {
        if (!view.ways.empty())
            row(say("a.view", translated(view.title)), {ChosenA::Kind::view, std::string(view.name), 0});
    }
    row(say("a.baseline"), {ChosenA::Kind::baseline, {}, 0});
    ImGui::Separator();
    for (const Version& version : work.lab->versions)
        row(say("a.version", version_name(version.number), translated(version.title)),
            {ChosenA::Kind::version, {}, version.number});
}

struct ListView {
    List list;
    void (*draw)(const Stage& stage, Rows& rows);
};
constexpr std::array kLists{
    ListView{List::versions, list_versions}, ListView{List::gpus, list_gpus},
    ListView{List::block, list_block},       ListView{List::baselines, list_baselines},
    ListView{List::sizes, list_sizes},       ListView{List::a, list_a}};

}  // namespace

void draw_list(const Stage& stage, List list, const Touch& touch, const Box& below) {
    if (touch.clicked) stage.edits.add(OpenList{list});
    if (stage.view.list.list != list) return;
    const Box window = stage.slots.window;
    const bool at_right = below.x > window.w / 2;
    ImGui::SetNextWindowPos({at_right ? below.right() : below.x, below.bottom()}, ImGuiCond_Always,
                            {at_right ? 1.0f : 0.0f, 0});
    ImGui::SetNextWindowSizeConstraints({stage.canvas.px(280), 0},
                                        {window.w * 0.8f, window.h - below.bottom() - stage.canvas.px(24)});
    constexpr auto kFlags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                            ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                            ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoNav;
    ImGui::Begin("##list", nullptr, kFlags);
    Rows rows(stage);
    const auto* view =
        std::find_if(kLists.begin(), kLists.end(), [&](const ListView& one) { return one.list == list; });
    if (view != kLists.end()) view->draw(stage, rows);
    rows.finish();
    // A click elsewhere closes it; one on its place of the bar does so by itself.
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !below.contains(mouse.x, mouse.y) &&
        !ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows |
                                ImGuiHoveredFlags_AllowWhenBlockedByActiveItem))
        stage.edits.add(CloseList{list});
    ImGui::End();
}

}  // namespace ws
