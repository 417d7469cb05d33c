#include "app/window/keys.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "gpu/pipeline/requests.h"
#include "gpu/pipeline/versions.h"

namespace ws {
namespace {

using Key = KeyPress::Key;

bool is(const KeyPress& key, char character) {
    return key.key == Key::character && key.character == static_cast<unsigned char>(character);
}

bool choose_version(const KeyPress& key, Settings& settings, Commands&) {
    if (key.key != Key::character || key.character > 127 || key.character == 0) return false;
    constexpr std::string_view kDigits = "0123456789-=";
    const std::size_t number = kDigits.find(static_cast<char>(key.character));
    if (number == std::string_view::npos || number >= versions().size()) return false;
    settings = with_version(settings, versions()[number]);
    return true;
}

bool step_version(const KeyPress& key, Settings& settings, Commands&) {
    const bool up = key.key == Key::up || key.key == Key::page_up;
    if (!up && key.key != Key::down && key.key != Key::page_down) return false;
    const std::span<const Version> rows = versions();
    auto now = std::find_if(rows.begin(), rows.end(),
                            [&](const Version& row) { return row.number == settings.version; });
    if (up && now != rows.begin()) settings = with_version(settings, *std::prev(now));
    if (!up && std::next(now) != rows.end()) settings = with_version(settings, *std::next(now));
    return true;
}

bool toggle_blur(const KeyPress& key, Settings& settings, Commands&) {
    if (!is(key, 'b')) return false;
    // With blur and edges both off, gray is shown.
    if (settings.view == View::edge) {
        settings.blur_first = !settings.blur_first;
    } else {
        settings.blur_first = settings.view != View::blur;
        settings.view = settings.blur_first ? View::blur : View::gray;
    }
    return true;
}

bool toggle_edge(const KeyPress& key, Settings& settings, Commands&) {
    if (!is(key, 'e')) return false;
    settings.view = settings.view != View::edge ? View::edge : settings.blur_first ? View::blur : View::gray;
    return true;
}

bool show_gray(const KeyPress& key, Settings& settings, Commands&) {
    if (!is(key, 'g')) return false;
    settings.view = View::gray;
    return true;
}

bool show_original(const KeyPress& key, Settings& settings, Commands&) {
    if (!is(key, 'r') && !is(key, ' ')) return false;
    settings.view = View::original;
    return true;
}

// A command that one or two keys give.
bool command(bool matches, bool& flag) {
    flag |= matches;
    return matches;
}

bool save(const KeyPress& key, Settings&, Commands& commands) {
    return command(is(key, 's') || key.key == Key::f12, commands.save);
}
bool open(const KeyPress& key, Settings&, Commands& commands) {
    return command(is(key, 'o'), commands.open_dialog);
}
bool fit(const KeyPress& key, Settings&, Commands& commands) {
    return command(is(key, 'f'), commands.fit);
}
bool one_to_one(const KeyPress& key, Settings&, Commands& commands) {
    return command(is(key, 'z'), commands.one_to_one);
}
bool full_screen(const KeyPress& key, Settings&, Commands& commands) {
    return command(key.key == Key::f11, commands.toggle_full_screen);
}
bool key_sheet(const KeyPress& key, Settings&, Commands& commands) {
    return command(is(key, '?') || key.key == Key::f1, commands.toggle_key_sheet);
}
bool quit(const KeyPress& key, Settings&, Commands& commands) {
    return command(is(key, 'q'), commands.quit);
}
bool escape(const KeyPress& key, Settings&, Commands& commands) {
    return command(key.key == Key::escape, commands.escape);
}

bool font_size(const KeyPress& key, Settings&, Commands& commands) {
    if (key.key == Key::plus) ++commands.font_steps;
    if (key.key == Key::minus) --commands.font_steps;
    if (key.key == Key::zero) commands.font_reset = true;
    return key.control;
}

constexpr std::array kBindings{
    KeyBinding{"0 to 9, - and =", "version V0 to V9, V10 and V11; Down for the next", choose_version},
    KeyBinding{"Up, Down (Page Up, Page Down)", "previous version, next version", step_version},
    KeyBinding{"b", "blur on or off", toggle_blur},
    KeyBinding{"e", "edges on or off", toggle_edge},
    KeyBinding{"g", "gray", show_gray},
    KeyBinding{"r or Space", "original", show_original},
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

void handle_key(const KeyPress& key, Settings& settings, Commands& commands) {
    for (const KeyBinding& binding : kBindings) {
        if (binding.handle(key, settings, commands)) return;
    }
}

}  // namespace ws
