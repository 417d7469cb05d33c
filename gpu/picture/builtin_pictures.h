#pragma once
// The pictures that the program brings, by the names that --image knows.

#include <span>
#include <string_view>

#include "gpu/core/image.h"

namespace ws {

struct BuiltinPicture {
    std::string_view name;
    RgbaImage (*make)();
};

// The first is the one to start with: "scene", a still life that tools/scene renders, kept as a JPEG in
// assets/. Its pixels are those of the JPEG decoder that the program is built with. "test" is
// draw_test_picture(), the same bytes everywhere.
[[nodiscard]] std::span<const BuiltinPicture> builtin_pictures();

// Null: there is none of this name.
[[nodiscard]] const BuiltinPicture* find_builtin_picture(std::string_view name);

}  // namespace ws
