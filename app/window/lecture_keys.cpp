#include "app/window/lecture_keys.h"

#include <string_view>

#include "app/window/key_press.h"

namespace ws {
namespace {

using Key = KeyPress::Key;

// In a lecture what presenter remotes send means its steps.
bool step_lecture(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    if (!view.playing || key.control || key.shift) return false;
    if (key.key != Key::page_up && key.key != Key::page_down) return false;
    edits.add(BlankSlide{false});
    edits.add(TurnStep{key.key == Key::page_down ? 1 : -1});
    return true;
}

// While a step asks; what else would change the work unseen does nothing.
bool guess(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    if (!view.playing || !view.playing->asking() || view.experiment.shown || key.control) return false;
    constexpr double kNudge = 0.02;
    constexpr std::string_view kDigits = "0123456789-=";
    const bool begun = !view.playing->typed.empty();
    if (key.key == Key::left || key.key == Key::right)
        edits.add(NudgeGuess{key.key == Key::right ? kNudge : -kNudge});
    else if (key.key == Key::backspace)
        edits.add(EraseGuess{});
    else if (key.key == Key::enter)
        edits.add(FixGuess{});
    else if (key.key == Key::character && key.character > 0 && key.character < 128 &&
             kDigits.find(char(key.character)) != std::string_view::npos)
        edits.add(TypeGuess{char(key.character)});
    else if (begun && (is(key, '.') || is(key, ',')))  // a remote's '.' blanks
        edits.add(TypeGuess{'.'});
    else
        return key.key == Key::up || key.key == Key::down || key.key == Key::home || key.key == Key::end;
    return true;
}

bool return_to_step(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    if (!view.playing || key.key != Key::backspace) return false;
    edits.add(ReturnToStep{});
    return true;
}

}  // namespace

// Before what the keys mean elsewhere; '.' is a black screen.
bool in_lecture(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits) {
    return step_lecture(key, work, view, edits) || guess(key, work, view, edits) ||
           return_to_step(key, work, view, edits) ||
           (view.playing && (always(is(key, '.'), BlankSlide{!view.slide.blank}, edits) ||
                             always(is(key, 'P'), ShowNotes{!view.notes}, edits)));
}

bool on_slide(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    return view.slide.on && (always(is(key, 'b'), BlankSlide{!view.slide.blank}, edits) ||
                             always(is(key, '.'), FreezeSlide{!view.slide.frozen}, edits) ||
                             always(is(key, 'i'), UseInk{!view.preferences.ink}, edits));
}

}  // namespace ws
