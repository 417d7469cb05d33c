#pragma once
// What a canvas has drawn, on paper: filled rectangles, then pictures, then texts in their fonts. Lines,
// rings and the like are not kept by a canvas and are not there.

#include <span>
#include <string>

#include "app/canvas/canvas.h"
#include "gpu/core/image.h"

namespace ws {

// The points of a pixel are squares: shown as they are, however large.
struct SheetPicture {
    Box box;
    GrayImage picture;
};

// A sheet in light colours whose width is that of the canvas's `size` in pixels.
struct Sheet {
    const Drawing& drawing;
    std::span<const SheetPicture> pictures;
    Extent size;
};

// Whether this program was built with what the two functions need; else both throw Error.
[[nodiscard]] bool can_print();
// A PDF of one page of this width in points (1/72 inch), its texts as text. Throws Error.
[[nodiscard]] std::string pdf_of(const Sheet& sheet, double width_points);
// In pixels, so many for each of the canvas's. Throws Error.
[[nodiscard]] RgbaImage image_of(const Sheet& sheet, double scale);

}  // namespace ws
