#pragma once
// What the handlers of keys have in common.

#include <utility>

#include "app/window/edit.h"
#include "render/window.h"

namespace ws {

// This character, without Control.
[[nodiscard]] inline bool is(const KeyPress& key, char character) {
    return key.key == KeyPress::Key::character && !key.control &&
           key.character == static_cast<unsigned char>(character);
}

// The edit, where the key matched. Returns whether it did.
inline bool always(bool matches, Edit edit, Edits& edits) {
    if (matches) edits.add(std::move(edit));
    return matches;
}

}  // namespace ws
