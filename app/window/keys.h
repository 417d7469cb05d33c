#pragma once
// The table of keys. The key sheet, the help and the handler walk it.

#include <span>

#include "app/window/edit.h"
#include "render/window.h"

namespace ws {

struct KeyBinding {
    const char* keys;     // as they are written on the key sheet
    const char* meaning;  // the key of its text
    // Adds what the key asks for if it is this binding's; true if it was.
    bool (*handle)(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits);
};

[[nodiscard]] std::span<const KeyBinding> key_bindings();

// Adds what a key asks for, given the work and the view as they are when it is pressed.
void handle_key(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits);

}  // namespace ws
