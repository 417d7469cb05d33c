#pragma once
// Draws a picture into a rectangle of the window, zoomed and panned.

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

// How the picture lies in its area.
struct Camera {
    bool fit = true;     // the whole picture, as large as it can be
    float zoom = 1;      // screen pixels per picture pixel, when not fit
    float center_x = 0;  // the picture's point in the middle of the area
    float center_y = 0;
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
// Zooms by `factor` so that the picture's point under the screen point stays there.
[[nodiscard]] Camera zoomed(const Camera& camera, Area area, Extent picture, float screen_x, float screen_y,
                            float factor);
// Moves the picture by screen pixels, never so far that it leaves the area.
[[nodiscard]] Camera panned(const Camera& camera, Area area, Extent picture, float dx, float dy);

class Viewer {
  public:
    Viewer();
    // Draws into `framebuffer` of `size`. Only a changed picture, camera or area is drawn anew.
    void draw(const PictureTexture& picture, const Camera& camera, Area area, unsigned framebuffer,
              Extent size);
    void picture_changed() { stale_ = true; }

  private:
    void draw_anew(const PictureTexture& picture, const Camera& camera, Area area);

    GlName textures_, buffers_;  // programs
    GlName vertices_;
    GlName cache_framebuffer_;
    GlName cache_texture_;
    Area cached_area_;
    Camera cached_camera_;
    const PictureTexture* cached_picture_ = nullptr;
    bool stale_ = true;
};

}  // namespace ws
