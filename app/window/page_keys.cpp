#include "app/window/page_keys.h"

#include <array>
#include <string_view>

#include "app/views/picture_parts.h"
#include "app/window/key_press.h"

namespace ws {
namespace {

using Key = KeyPress::Key;

// Pages are turned with Tab then.
bool is_of_lecture(const KeyPress& key, const ViewState& view) {
    if (!view.playing || key.control) return false;
    const bool turns = !key.shift && (key.key == Key::page_up || key.key == Key::page_down);
    return turns || key.key == Key::backspace || is(key, '.') || is(key, 'P');
}

bool shows_advice(const ViewState& view) {
    return view.story.advice && view.preferences.tab == Tab::story &&
           view.preferences.comparison.how != Compare::difference && !view.slide.on;
}

}  // namespace

// While an experiment is shown, what belongs to a lab's versions and pictures means nothing.
bool in_experiment(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    if (!view.experiment.shown || is_of_lecture(key, view)) return false;
    switch (key.key) {
        case Key::enter:
            edits.add(RunExperiment{});
            return true;
        case Key::up:
        case Key::down:
            edits.add(ChooseControl{view.experiment.control + (key.key == Key::up ? -1 : 1)});
            return true;
        case Key::left:
        case Key::right:
            edits.add(StepControl{view.experiment.control, key.key == Key::left ? -1 : 1});
            return true;
        case Key::page_up:
        case Key::page_down:
            edits.add(TurnPage{view.page + (key.key == Key::page_up ? -1 : 1)});
            return true;
        case Key::tab:
            edits.add(TurnPage{view.page + (key.shift ? -1 : 1)});
            return true;
        case Key::character:
            return !key.control &&
                   std::string_view("tL?q").find(char(key.character)) == std::string_view::npos;
        default:
            return key.key != Key::f1 && key.key != Key::f11 && key.key != Key::escape &&
                   key.key != Key::plus && key.key != Key::minus && key.key != Key::zero;
    }
}

// On the page of the source, and before what the keys mean elsewhere.
bool move_in_source(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    if (view.preferences.tab != Tab::source || view.slide.on) return false;
    return always(key.key == Key::up, JumpInSource{SourceJump::line, -1}, edits) ||
           always(key.key == Key::down, JumpInSource{SourceJump::line, 1}, edits) ||
           always(is(key, 'n'), JumpInSource{SourceJump::change, 1}, edits) ||
           always(is(key, 'N'), JumpInSource{SourceJump::change, -1}, edits) ||
           always(is(key, 'h'), JumpInSource{SourceJump::hottest}, edits) ||
           always(is(key, 'E'), JumpInSource{SourceJump::trouble}, edits) ||
           always(is(key, 'x'), ShowBeside{SidePanel((int(view.source.beside) + 1) % kSidePanels)}, edits) ||
           always(is(key, 'c'), ShowChangesOnly{!view.preferences.changes_only}, edits) ||
           always(is(key, 'T'), ChooseLineShare{other_share(view.preferences.line_share)}, edits) ||
           always(is(key, 'l'), ShowRemovedLines{!view.preferences.removed_lines}, edits) ||
           always(key.key == Key::enter, OpenEditor{}, edits);
}

// On the page of the debugger: gdb's letters, upper case backwards.
bool in_debugger(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    if (view.preferences.tab != Tab::debugger || view.slide.on || key.control) return false;
    struct Letter {
        char letter;
        const char* command;
    };
    constexpr std::array kLetters{
        Letter{'r', "run"},          Letter{'c', "continue"},     Letter{'C', "reverse-continue"},
        Letter{'s', "step"},         Letter{'S', "reverse-step"}, Letter{'n', "next"},
        Letter{'N', "reverse-next"}, Letter{'i', "stepi"},        Letter{'I', "reverse-stepi"}};
    for (const Letter& one : kLetters) {
        if (always(is(key, one.letter), DebugCommand{one.command}, edits)) return true;
    }
    return always(is(key, 'P'), PauseDebugger{}, edits) || always(is(key, 'b'), ToggleBreakpoint{}, edits) ||
           always(is(key, 'f'), ToggleFreeze{}, edits) || always(is(key, '['), StepDebugged{0, -1}, edits) ||
           always(is(key, ']'), StepDebugged{0, 1}, edits) ||
           always(is(key, '{'), StepDebugged{-1, 0}, edits) ||
           always(is(key, '}'), StepDebugged{1, 0}, edits) || always(is(key, '<'), StepWatched{-1}, edits) ||
           always(is(key, '>'), StepWatched{1}, edits) || always(is(key, 'w'), KeepWatched{}, edits) ||
           always(is(key, 'm'), StepDebugPanel{1}, edits) ||
           always(is(key, 'M'), StepDebugPanel{-1}, edits) ||
           always(is(key, 'F'), DebugFile{!view.debugger.file}, edits) ||
           always(key.key == Key::enter, EnterCommand{}, edits);
}

// On the page of a warp: another warp, another block, the ends of the grid, and the one that is drawn at
// first.
bool move_to_warp(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    if (view.preferences.tab != Tab::warp || view.slide.on || key.control) return false;
    constexpr int kAll = 1 << 20;  // more than a grid has
    return always(key.shift && key.key == Key::left, StepWarp{-1, 0, 0}, edits) ||
           always(key.shift && key.key == Key::right, StepWarp{1, 0, 0}, edits) ||
           always(key.shift && key.key == Key::up, StepWarp{0, -1, 0}, edits) ||
           always(key.shift && key.key == Key::down, StepWarp{0, 1, 0}, edits) ||
           always(key.shift && key.key == Key::home, StepWarp{-kAll, -kAll, 0}, edits) ||
           always(key.shift && key.key == Key::end, StepWarp{kAll, kAll, 0}, edits) ||
           always(key.key == Key::up, StepWarp{0, 0, -1}, edits) ||
           always(key.key == Key::down, StepWarp{0, 0, 1}, edits) ||
           always(key.key == Key::backspace, ChooseWarp{}, edits);
}

// From another page, or from a difference, it leads to the story.
bool advise(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    if (key.key == Key::enter && shows_advice(view)) {
        edits.add(TryAdvice{0});
        return true;
    }
    if (!is(key, 'a')) return false;
    const bool on = shows_advice(view);
    if (!on) edits.add(ChooseTab{Tab::story});
    if (view.preferences.comparison.how == Compare::difference) edits.add(ChooseCompare{Compare::wipe});
    edits.add(ShowAdvice{!on});
    return true;
}

// From another page it leads to the story.
bool over_axis(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    if (view.slide.on) return false;
    const bool on = shows_curves(view);
    if (on && (always(is(key, 'R'), RunSweep{}, edits) || always(is(key, 'x'), StepAxis{1}, edits) ||
               always(is(key, 'X'), StepAxis{-1}, edits)))
        return true;
    if (!is(key, 'v')) return false;
    if (!on) edits.add(ChooseTab{Tab::story});
    edits.add(ShowCurves{!on});
    return true;
}

bool next_axis(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    if (view.preferences.tab != Tab::occupancy || view.slide.on || !is(key, 'x')) return false;
    edits.add(ChooseAxis{(view.occupancy.axis + 1) % 3});
    return true;
}

// From elsewhere it leads to the sweep; there it runs one.
bool sweep(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    if (!is(key, 'R')) return false;
    if (view.preferences.tab == Tab::occupancy && view.occupancy.part == OccupancyPart::sweep) {
        edits.add(RunSweep{});
        return true;
    }
    edits.add(ChooseTab{Tab::occupancy});
    edits.add(ShowOccupancy{OccupancyPart::sweep});
    return true;
}

// From elsewhere it leads to the warps of one scheduler; there, back to the block of now.
bool hide_latency(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    if (!is(key, 'H')) return false;
    const bool on = shows_latency(view);
    if (!on) edits.add(ChooseTab{Tab::occupancy});
    edits.add(ShowOccupancy{on ? OccupancyPart::now : OccupancyPart::latency});
    return true;
}

// There, before what the keys mean elsewhere.
bool over_clocks(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    if (!shows_latency(view) || key.control) return false;
    constexpr double kZoom = 1.5;
    constexpr double kPan = 0.25;
    if (key.key == Key::backspace) {
        edits.add(LookAtClocks{});
        edits.add(MoveClock{});
        return true;
    }
    return always(is(key, 'P'), PlayClock{!view.occupancy.latency.playing}, edits) ||
           always(is(key, 'B'), ClockBaseline{!view.occupancy.latency.baseline}, edits) ||
           always(is(key, '.'), StepClock{1}, edits) || always(is(key, ','), StepClock{-1}, edits) ||
           always(is(key, '<'), StepResident{false, -1}, edits) ||
           always(is(key, '>'), StepResident{false, 1}, edits) ||
           always(is(key, '['), StepResident{true, -1}, edits) ||
           always(is(key, ']'), StepResident{true, 1}, edits) ||
           always(is(key, '+'), MoveClocks{kZoom, 0}, edits) ||
           always(is(key, '_'), MoveClocks{1 / kZoom, 0}, edits) ||
           always(key.shift && key.key == Key::left, MoveClocks{1, -kPan}, edits) ||
           always(key.shift && key.key == Key::right, MoveClocks{1, kPan}, edits);
}

// Where a difference is shown: over what its places are drawn.
bool over_places(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits) {
    if (!shows_difference(view, work)) return false;
    const Preferences& kept = view.preferences;
    // The key of what is chosen: both.
    const auto toggled = [&](PlaceAxis axis) {
        return kept.comparison.places == axis ? PlaceAxis::both : axis;
    };
    return always(is(key, 'x'), ChoosePlaces{toggled(PlaceAxis::column)}, edits) ||
           always(is(key, 'y'), ChoosePlaces{toggled(PlaceAxis::row)}, edits);
}

bool next_wrong_place(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits) {
    const bool shows_result = runs_anything(work) && (view.slide.on || view.preferences.tab == Tab::story);
    return shows_result &&
           (always(is(key, 'n'), JumpToWrong{1}, edits) || always(is(key, 'N'), JumpToWrong{-1}, edits));
}

// The line between A and B; of a difference, how much it is amplified.
bool more_or_less(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    if (!is(key, '<') && !is(key, '>')) return false;
    const bool more = is(key, '>');
    const Preferences& kept = view.preferences;
    constexpr float kStep = 0.05f;
    if (kept.comparison.how == Compare::difference)
        edits.add(Amplify{more ? kept.comparison.amplification * 2 : kept.comparison.amplification / 2});
    else
        edits.add(MoveWipe{kept.comparison.wipe + (more ? kStep : -kStep)});
    return true;
}

bool step_access(const KeyPress& key, const Work&, const ViewState&, Edits& edits) {
    return always(is(key, '['), StepAccess{-1, false}, edits) ||
           always(is(key, ']'), StepAccess{1, false}, edits) ||
           always(is(key, '{'), StepAccess{-1, true}, edits) ||
           always(is(key, '}'), StepAccess{1, true}, edits);
}

}  // namespace ws
