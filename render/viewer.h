#pragma once
// Draws a picture into a rectangle of the window, zoomed and panned.

#include <array>
#include <cstdint>

#include "gpu/core/image.h"
#include "render/gl_objects.h"
#include "render/picture_texture.h"

namespace ws {

// A rectangle of the framebuffer in pixels, from its top left corner.
struct Area {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
    friend bool operator==(const Area&, const Area&) = default;
};

// fill: the area is full, and the longer side of the picture cropped; whole: all of it, as large as it can
// be; free: as a person moved it; detail: a part of it, as large as it can be.
enum class Framing : std::uint8_t { fill, whole, free, detail };

// How the picture lies in its area.
struct Camera {
    Framing framing = Framing::fill;
    float zoom = 1;      // screen pixels per picture pixel, where free
    float center_x = 0;  // the picture's point in the middle of the area, where free or a detail
    float center_y = 0;
    float across = 0;  // a detail's columns and rows
    float down = 0;
    friend bool operator==(const Camera&, const Camera&) = default;
};

[[nodiscard]] float zoom_of(const Camera& camera, Area area, Extent picture);
// The picture's pixel under a point of the framebuffer; may lie outside the picture.
struct PicturePoint {
    float x = 0;
    float y = 0;
};
[[nodiscard]] PicturePoint picture_point(const Camera& camera, Area area, Extent picture, float screen_x,
                                         float screen_y);
// Zooms by `factor` so that the picture's point under the screen point stays there, out until all of the
// picture is seen.
[[nodiscard]] Camera zoomed(const Camera& camera, Area area, Extent picture, float screen_x, float screen_y,
                            float factor);
// Moves the picture by screen pixels, never so far that it leaves the area.
[[nodiscard]] Camera panned(const Camera& camera, Area area, Extent picture, float dx, float dy);

// What becomes of several pixels that fall on one point of the screen: a thin edge would fade in their mean.
enum class Reduction : std::uint8_t { mean, largest };

// A picture in an area, of which the part within `clip` is drawn.
struct Pane {
    const PictureTexture* picture = nullptr;
    Camera camera;
    Area area;
    Reduction reduction = Reduction::mean;
    bool ink = false;               // bright lines as dark ones on white, stronger: edges for daylight
    std::array<float, 3> ground{};  // where the picture does not reach
    friend bool operator==(const Pane&, const Pane&) = default;
};

class Viewer {
  public:
    // Pictures that can be shown beside each other.
    static constexpr std::size_t kPanes = 3;

    Viewer();
    // Draws a pane into `framebuffer` of `size`, as far as it lies within `clip`. Only a pane of which
    // something has changed is drawn anew.
    void draw(std::size_t which, const Pane& pane, Area clip, unsigned framebuffer, Extent size);
    void picture_changed() { caches_ = {}; }

  private:
    struct Cache {
        GlName framebuffer, texture;
        Pane pane;
    };
    void draw_anew(Cache& cache, const Pane& pane);

    GlName textures_, buffers_;  // programs
    GlName vertices_;
    std::array<Cache, kPanes> caches_;
};

}  // namespace ws
