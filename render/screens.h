#pragma once
// The screens of this machine, and which of them a second window goes to.

#include <optional>
#include <span>
#include <vector>

#include "gpu/core/image.h"

namespace ws {

class Glfw;

// A screen's place among the others, in screen coordinates.
struct Screen {
    int x = 0, y = 0;
    Extent size;
    friend bool operator==(const Screen&, const Screen&) = default;
};

// The primary one first.
[[nodiscard]] std::vector<Screen> screens(const Glfw& glfw);

// The first screen that shows no part of `taken`; none where there is no such screen, or all show the same.
[[nodiscard]] std::optional<Screen> screen_beside(std::span<const Screen> all, const Screen& taken);

}  // namespace ws
