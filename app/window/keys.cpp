#include "app/window/keys.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace ws {
namespace {

using Key = KeyPress::Key;

bool is(const KeyPress& key, char character) {
    return key.key == Key::character && key.character == static_cast<unsigned char>(character);
}

bool choose_version(const KeyPress& key, const Work& work, const ViewState&, Edits& edits) {
    if (key.key != Key::character || key.character > 127 || key.character == 0) return false;
    constexpr std::string_view kDigits = "0123456789-=";
    const std::size_t number = kDigits.find(static_cast<char>(key.character));
    if (number == std::string_view::npos) return false;
    for (const Version& version : work.lab->versions) {
        if (version.number == int(number)) edits.add(ChooseVersion{version.number});
    }
    return true;
}

bool step_version(const KeyPress& key, const Work& work, const ViewState&, Edits& edits) {
    const bool up = key.key == Key::up || key.key == Key::page_up;
    if (!up && key.key != Key::down && key.key != Key::page_down) return false;
    const std::vector<Version>& rows = work.lab->versions;
    const auto now = std::find_if(rows.begin(), rows.end(),
                                  [&](const Version& row) { return row.number == work.version; });
    if (up && now != rows.begin()) edits.add(ChooseVersion{std::prev(now)->number});
    if (!up && std::next(now) != rows.end()) edits.add(ChooseVersion{std::next(now)->number});
    return true;
}

// Each view has its key, and may send keys to other views.
bool choose_view(const KeyPress& key, const Work& work, const ViewState&, Edits& edits) {
    const Lab& lab = *work.lab;
    for (const auto& [character, name] : lab.views[std::size_t(work.view)].moves) {
        if (!is(key, character)) continue;
        edits.add(ChooseView{view_named(lab, name)});
        return true;
    }
    for (std::size_t i = 0; i < lab.views.size(); ++i) {
        if (lab.views[i].key == 0 || !is(key, lab.views[i].key)) continue;
        edits.add(ChooseView{int(i)});
        return true;
    }
    return false;
}

// What is there before anything runs.
bool show_input(const KeyPress& key, const Work& work, const ViewState&, Edits& edits) {
    if (!is(key, ' ')) return false;
    const auto& views = work.lab->views;
    const auto input =
        std::find_if(views.begin(), views.end(), [](const View& view) { return view.ways.empty(); });
    if (input != views.end()) edits.add(ChooseView{int(input - views.begin())});
    return true;
}

// One edit, whatever is shown.
bool always(bool matches, Edit edit, Edits& edits) {
    if (matches) edits.add(std::move(edit));
    return matches;
}

bool save(const KeyPress& key, const Work&, const ViewState&, Edits& edits) {
    return always(is(key, 's') || key.key == Key::f12, SavePictures{}, edits);
}
bool open(const KeyPress& key, const Work&, const ViewState&, Edits& edits) {
    return always(is(key, 'o'), ShowOpenDialog{}, edits);
}
bool fit(const KeyPress& key, const Work&, const ViewState&, Edits& edits) {
    return always(is(key, 'f'), MoveCamera{}, edits);
}
bool one_to_one(const KeyPress& key, const Work&, const ViewState&, Edits& edits) {
    return always(is(key, 'z'), OneToOne{}, edits);
}
bool full_screen(const KeyPress& key, const Work&, const ViewState&, Edits& edits) {
    return always(key.key == Key::f11, ToggleFullScreen{}, edits);
}
bool key_sheet(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    return always(is(key, '?') || key.key == Key::f1, ShowKeySheet{!view.key_sheet}, edits);
}
bool quit(const KeyPress& key, const Work&, const ViewState&, Edits& edits) {
    return always(is(key, 'q'), Quit{}, edits);
}
bool escape(const KeyPress& key, const Work&, const ViewState&, Edits& edits) {
    return always(key.key == Key::escape, StepBack{}, edits);
}

bool font_size(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    constexpr float kStep = 0.1f;
    const float scale = view.preferences.font_scale;
    return always(key.key == Key::plus, ScaleText{scale + kStep}, edits) ||
           always(key.key == Key::minus, ScaleText{scale - kStep}, edits) ||
           always(key.key == Key::zero, ScaleText{}, edits);
}

constexpr std::array kBindings{
    KeyBinding{"0 to 9, - and =", "version V0 to V9, V10 and V11; Down for the next", choose_version},
    KeyBinding{"Up, Down (Page Up, Page Down)", "previous version, next version", step_version},
    KeyBinding{"b, e", "blur on or off, edges on or off (image filters)", choose_view},
    KeyBinding{"g, r", "gray, original (image filters)", choose_view},
    KeyBinding{"Space", "the original, or what the lab begins with", show_input},
    KeyBinding{"s or F12", "save the original and the result as pictures", save},
    KeyBinding{"o", "open a picture (or drop it on the window)", open},
    KeyBinding{"f", "fit the picture into the window", fit},
    KeyBinding{"z", "one picture pixel on one screen pixel", one_to_one},
    KeyBinding{"F11", "full screen on or off", full_screen},
    KeyBinding{"Ctrl + and Ctrl -, Ctrl 0", "larger and smaller text, usual size", font_size},
    KeyBinding{"? or F1", "these keys", key_sheet},
    KeyBinding{"Esc", "close a dialog or message, else quit", escape},
    KeyBinding{"q", "quit", quit},
};

}  // namespace

std::span<const KeyBinding> key_bindings() {
    return kBindings;
}

void handle_key(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits) {
    for (const KeyBinding& binding : kBindings) {
        if (binding.handle(key, work, view, edits)) return;
    }
}

}  // namespace ws
