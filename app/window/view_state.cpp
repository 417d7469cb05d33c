#include "app/window/view_state.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace ws {
namespace {

// What is typed, without control characters, no longer than names may be: whole characters.
std::string as_name(std::string_view typed) {
    std::string name;
    for (const char c : typed) {
        if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) name += c;
    }
    if (name.size() <= kMostPinName) return name;
    std::size_t end = kMostPinName;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
    return name.substr(0, end);
}

struct Editor {
    ViewState& view;
    Extent picture;

    void operator()(const ShowExperiment& edit) const {
        view.experiment.shown = edit.experiment;
        view.experiment.control = 0;
        view.page = 0;
        // The next step of a lecture may be a slide again.
        if (!view.playing) view.slide.on = false;
    }
    void operator()(const ChooseControl& edit) const {
        const auto count = view.experiment.shown ? int(view.experiment.shown->controls.size()) : 1;
        view.experiment.control = (edit.control + count) % count;
    }
    void operator()(const OpenList& edit) const {
        const bool again = view.list.list == edit.list;
        view.list = {again ? List::none : edit.list};
    }
    void operator()(const CloseList& edit) const {
        if (view.list.list == edit.list) view.list = {};
    }
    void operator()(const MoveInList& edit) const {
        view.list.row = std::max(-1, edit.row);
        view.list.turn = edit.turn;
        view.list.take = edit.take;
    }
    void operator()(const InspectStep& edit) const {
        if (view.preferences.step == edit.step) return;
        view.preferences.step = edit.step;
        (*this)(LeaveSource{});
    }
    void operator()(const InspectLine& edit) const {
        view.source.line = std::max(0, edit.line);
        view.source.access = std::max(0, edit.access);
        view.source.beside_scroll = 0;
    }
    void operator()(const RevealLine& edit) const {
        (*this)(InspectLine{edit.line});
        (*this)(OpenFold{edit.line});
        view.source.reveal = true;
    }
    void operator()(const OpenFold& edit) const {
        std::vector<int>& open = view.source.open;
        if (std::find(open.begin(), open.end(), edit.line) == open.end()) open.push_back(edit.line);
    }
    void operator()(const ScrollSource& edit) const {
        view.source.scroll = std::max(0.0f, edit.rows);
        view.source.reveal = false;
    }
    void operator()(const ScrollBeside& edit) const { view.source.beside_scroll = edit.rows; }
    void operator()(const ShowBeside& edit) const {
        view.source.beside = edit.what;
        view.source.beside_scroll = 0;
    }
    void operator()(const ShowRemovedLines& edit) const {
        view.preferences.removed_lines = edit.on;
        view.source.scroll.reset();
    }
    void operator()(const ShowChangesOnly& edit) const {
        view.preferences.changes_only = edit.on;
        view.source.open.clear();
        view.source.scroll.reset();
    }
    void operator()(const ChooseLineShare& edit) const { view.preferences.line_share = edit.of; }
    void operator()(const LeaveSource&) const {
        const SidePanel beside = view.source.beside;
        view.source = {};
        view.source.beside = beside;
        view.source.line = view.source.access = 0;
    }
    void operator()(const InspectAccess& edit) const { view.source.access = std::max(0, edit.access); }
    void operator()(const ChooseWarp& edit) const { view.preferences.warp = edit.at; }
    void operator()(const HoldPlace& edit) const { view.held_place = edit.place; }
    void operator()(const ChooseAxis& edit) const { view.occupancy.axis = std::clamp(edit.axis, 0, 2); }
    void operator()(const ShowOccupancy& edit) const {
        view.occupancy.part = edit.part;
        view.occupancy.latency.playing = false;
    }
    void operator()(const ChooseResident& edit) const {
        view.occupancy.latency.few = std::max(1, edit.few);
        view.occupancy.latency.many = std::max(0, edit.many);
    }
    void operator()(const ClockBaseline& edit) const { view.occupancy.latency.baseline = edit.on; }
    void operator()(const LookAtClocks& edit) const {
        view.occupancy.latency.from = std::max(0.0, edit.from);
        view.occupancy.latency.clocks = std::max(0.0, edit.clocks);
    }
    void operator()(const MoveClock& edit) const {
        view.occupancy.latency.at = edit.at ? std::optional(std::max(0.0, *edit.at)) : std::nullopt;
    }
    void operator()(const PlayClock& edit) const { view.occupancy.latency.playing = edit.on; }
    void operator()(const DebugFile& edit) const {
        view.debugger.file = edit.on;
        view.debugger.scroll.reset();
    }
    void operator()(const ScrollDebugger& edit) const { view.debugger.scroll = edit.rows; }
    void operator()(const TypeCommand& edit) const {
        view.debugger.typed = edit.text.substr(0, kMostCommand);
    }
    void operator()(const EnterCommand& edit) const { view.debugger.typing = edit.on; }
    void operator()(const ChooseWatched& edit) const { view.debugger.watch = edit.choice; }
    void operator()(const ChooseDebugPanel& edit) const {
        view.debugger.panel = edit.choice;
        view.debugger.values_scroll = 0;
    }
    void operator()(const ScrollValues& edit) const { view.debugger.values_scroll = edit.rows; }
    void operator()(const ScaleText& edit) const {
        view.preferences.font_scale = std::clamp(edit.scale, kLeastFontScale, kMostFontScale);
    }
    void operator()(const ChooseLanguage& edit) const { view.preferences.language = edit.language; }
    void operator()(const ChooseTheme& edit) const { view.preferences.theme = edit.theme; }
    void operator()(const ChooseTab& edit) const { view.preferences.tab = edit.tab; }
    void operator()(const ChooseCompare& edit) const { view.preferences.comparison.how = edit.compare; }
    void operator()(const ChooseA& edit) const { view.preferences.comparison.a = edit.a; }
    void operator()(const MoveWipe& edit) const {
        view.preferences.comparison.wipe = std::clamp(edit.at, 0.0f, 1.0f);
    }
    void operator()(const Amplify& edit) const {
        view.preferences.comparison.amplification = std::clamp(edit.factor, 1, kMostAmplification);
    }
    void operator()(const ChoosePlaces& edit) const { view.preferences.comparison.places = edit.axis; }
    void operator()(const KeepPin& edit) const {
        std::vector<Pin>& pins = view.preferences.pins;
        Pin kept = edit.pin;
        std::erase_if(pins, [&](const Pin& pin) {
            const bool same = pin.pinned == kept.pinned;
            if (same && kept.given.empty()) kept.given = pin.given;
            return same;
        });
        kept.given = as_name(kept.given);
        pins.insert(pins.begin(), std::move(kept));
        if (pins.size() > kMostPins) pins.resize(kMostPins);
        view.preferences.baseline = 0;
    }
    void operator()(const ChooseBaseline& edit) const {
        view.preferences.baseline = std::clamp(edit.pin, -1, int(view.preferences.pins.size()) - 1);
    }
    void operator()(const DropPin& edit) const {
        Preferences& kept = view.preferences;
        if (edit.pin < 0 || edit.pin >= int(kept.pins.size())) return;
        kept.pins.erase(kept.pins.begin() + edit.pin);
        if (kept.baseline == edit.pin)
            kept.baseline = -1;
        else if (kept.baseline > edit.pin)
            --kept.baseline;
    }
    void operator()(const KeepRecent& edit) const {
        std::vector<std::string>& recent = view.preferences.recent;
        std::erase(recent, edit.path);
        recent.insert(recent.begin(), edit.path);
        if (recent.size() > kMostRecent) recent.resize(kMostRecent);
    }
    void operator()(const NamePin& edit) const {
        std::vector<Pin>& pins = view.preferences.pins;
        if (edit.pin >= 0 && edit.pin < int(pins.size()))
            pins[std::size_t(edit.pin)].given = as_name(edit.name);
    }
    void operator()(const ShowOnlyA& edit) const { view.only_a = edit.on; }
    void operator()(const ShowSlide& edit) const {
        view.slide.on = edit.on;
        view.slide.blank = view.slide.frozen = false;
    }
    void operator()(const BlankSlide& edit) const { view.slide.blank = edit.on; }
    void operator()(const FreezeSlide& edit) const { view.slide.frozen = edit.on && view.slide.on; }
    void operator()(const UseInk& edit) const { view.preferences.ink = edit.on; }
    void operator()(const TurnPage& edit) const { view.page = std::max(0, edit.page); }
    void operator()(const ShowAdvice& edit) const {
        view.story.advice = edit.on;
        view.page = 0;
    }
    void operator()(const ShowCurves& edit) const {
        view.story.curves = edit.on;
        view.page = 0;
    }
    void operator()(const ChooseOver& edit) const { view.story.over = edit.over; }
    void operator()(const KeepTry& edit) const {
        const auto again = [&](const Try& known) {
            return known.from == edit.tried.from && known.to == edit.tried.to &&
                   known.input == edit.tried.input;
        };
        // Tried again, what was expected the first time stands: by now the answer is known.
        Try kept = edit.tried;
        const auto found = std::find_if(view.story.tries.begin(), view.story.tries.end(), again);
        if (found != view.story.tries.end()) {
            kept = *found;
            view.story.tries.erase(found);
        }
        view.story.tries.insert(view.story.tries.begin(), std::move(kept));
        if (view.story.tries.size() > kMostTries) view.story.tries.resize(kMostTries);
    }
    void operator()(const NoteOutcome& edit) const {
        if (edit.of >= view.story.tries.size()) return;
        view.story.tries[edit.of].got = edit.got;
        view.story.tries[edit.of].kind = edit.kind;
    }
    void operator()(const MoveCamera& edit) const { view.preferences.camera = edit.camera; }
    void operator()(const OneToOne&) const {
        view.preferences.camera = {Framing::free, 1, float(picture.width) / 2, float(picture.height) / 2};
    }
    void operator()(const ShowKeySheet& edit) const { view.key_sheet = edit.on; }
    void operator()(const ShowNotes& edit) const { view.notes = edit.on; }
    void operator()(const TypeGuess& edit) const {
        if (view.playing) view.playing = typed(std::move(*view.playing), edit.letter);
    }
    void operator()(const EraseGuess&) const {
        if (view.playing) view.playing = erased(std::move(*view.playing));
    }
    void operator()(const PointGuess& edit) const {
        if (!view.playing || !view.playing->asking()) return;
        const double value = value_on_axis(*view.playing->step().asks, edit.place);
        view.playing = pointed(std::move(*view.playing), value);
    }
    void operator()(const NudgeGuess& edit) const {
        if (view.playing) view.playing = nudged(std::move(*view.playing), edit.by);
    }
    void operator()(const FixGuess&) const {
        if (view.playing) view.playing = fixed(std::move(*view.playing));
    }
};

}  // namespace

bool shows_latency(const ViewState& view) {
    return view.preferences.tab == Tab::occupancy && view.occupancy.part == OccupancyPart::latency &&
           !view.slide.on && !view.experiment.shown;
}

bool plays_clock(const ViewState& view) {
    return shows_latency(view) && view.occupancy.latency.playing;
}

ViewState edited(ViewState view, const ViewEdit& edit, Extent picture) {
    std::visit(Editor{view, picture}, edit);
    return view;
}

}  // namespace ws
