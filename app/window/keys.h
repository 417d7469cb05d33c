#pragma once
// The table of keys. The key sheet, the help and the handler walk it.

#include <span>

#include "gpu/core/settings.h"
#include "render/window.h"

namespace ws {

// What a key can do beyond changing settings.
struct Commands {
    bool quit = false;
    bool escape = false;  // closes a dialog or a message, else quits
    bool toggle_full_screen = false;
    bool save = false;
    bool open_dialog = false;
    bool toggle_key_sheet = false;
    bool fit = false;
    bool one_to_one = false;
    int font_steps = 0;
    bool font_reset = false;
};

struct KeyBinding {
    const char* keys;  // as they are written on the key sheet
    const char* meaning;
    // Acts if the key is this binding's; true if it was.
    bool (*handle)(const KeyPress& key, Settings& settings, Commands& commands);
};

[[nodiscard]] std::span<const KeyBinding> key_bindings();

void handle_key(const KeyPress& key, Settings& settings, Commands& commands);

}  // namespace ws
