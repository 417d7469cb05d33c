#pragma once
// The commands that draw: the window, and its content off screen.

#include <vector>

#include "app/cli/options.h"

namespace ws {

// Opens the window and runs until it is closed. Throws Error.
void window_command(const Options& options);
// Draws the window's content off screen and writes it as PNG. Throws Error.
void picture_command(const Options& options);
// What OpenGL reports here, for --version.
[[nodiscard]] std::vector<Fact> gl_facts();

}  // namespace ws
