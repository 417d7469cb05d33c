#include "render/viewer.h"

#include <glad/gl.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "gpu/core/embedded_file.h"
#include "gpu/core/error.h"

namespace ws::embedded_shaders {
std::span<const EmbeddedFile> files();
}

namespace ws {
namespace {

constexpr float kLeastZoom = 1.0f / 64;
constexpr float kMostZoom = 64;

std::string_view shader(std::string_view name) {
    for (const EmbeddedFile& file : embedded_shaders::files()) {
        if (file.name == name) return file.text;
    }
    throw Error("a shader is missing in the program", std::string(name));
}

Camera clamped(Camera camera, Extent picture) {
    camera.center_x = std::clamp(camera.center_x, 0.0f, float(picture.width));
    camera.center_y = std::clamp(camera.center_y, 0.0f, float(picture.height));
    return camera;
}

// The centre for which the picture begins on a whole pixel of the screen.
float snapped(float center, float zoom, int side) {
    const float begins = float(side) / 2 - center * zoom;
    return (float(side) / 2 - std::round(begins)) / zoom;
}

// The same view as a free one. What is not reduced has its pixels on those of the screen.
Camera resolved(const Camera& camera, Area area, Extent picture) {
    Camera now = camera;
    if (camera.framing != Framing::free) {
        const bool detail = camera.framing == Framing::detail;
        now = {Framing::free, zoom_of(camera, area, picture),
               detail ? camera.center_x : float(picture.width) / 2,
               detail ? camera.center_y : float(picture.height) / 2};
    }
    if (now.zoom < 1) return now;
    now.center_x = snapped(now.center_x, now.zoom, area.width);
    now.center_y = snapped(now.center_y, now.zoom, area.height);
    return now;
}

// A part of the picture, in its pixels.
struct Part {
    int x = 0;
    int y = 0;
    Extent size;
};

// Makes the program draw a part where the camera sees it: from the picture's pixels to -1 .. 1, its rows from
// top to bottom.
void place(unsigned program, const Part& part, const Camera& now, const Pane& pane) {
    const Area area = pane.area;
    glUseProgram(program);
    glUniform1i(glGetUniformLocation(program, "u_picture"), 0);
    const float unit_x = 2 * now.zoom / float(area.width);
    const float unit_y = 2 * now.zoom / float(area.height);
    glUniform2f(glGetUniformLocation(program, "u_scale"), float(part.size.width) * unit_x,
                -float(part.size.height) * unit_y);
    glUniform2f(glGetUniformLocation(program, "u_offset"), (float(part.x) - now.center_x) * unit_x,
                -(float(part.y) - now.center_y) * unit_y);
    const bool reduced = now.zoom < 0.67f;
    const bool largest = pane.reduction == Reduction::largest;
    constexpr int kMostSamples = 16;
    // The mean takes samples between pixels, the largest each pixel.
    const float across = 1 / now.zoom;
    const int samples = std::clamp(int(std::ceil(largest ? across : across / 2)), 1, kMostSamples);
    glUniform1i(glGetUniformLocation(program, "u_samples"), reduced ? samples : 1);
    glUniform1i(glGetUniformLocation(program, "u_largest"), largest);
    glUniform1i(glGetUniformLocation(program, "u_ink"), pane.ink);
    glUniform2f(glGetUniformLocation(program, "u_span"), reduced ? across / float(part.size.width) : 0,
                reduced ? across / float(part.size.height) : 0);
}

}  // namespace

float zoom_of(const Camera& camera, Area area, Extent picture) {
    if (camera.framing == Framing::free) return camera.zoom;
    if (picture.width == 0 || picture.height == 0) return 1;
    if (camera.framing == Framing::detail && camera.across > 0 && camera.down > 0)
        return std::clamp(std::min(float(area.width) / camera.across, float(area.height) / camera.down),
                          kLeastZoom, kMostZoom);
    const float x = float(area.width) / float(picture.width);
    const float y = float(area.height) / float(picture.height);
    return camera.framing == Framing::fill ? std::max(x, y) : std::min(x, y);
}

PicturePoint picture_point(const Camera& camera, Area area, Extent picture, float screen_x, float screen_y) {
    const Camera now = resolved(camera, area, picture);
    return {now.center_x + (screen_x - float(area.x) - float(area.width) / 2) / now.zoom,
            now.center_y + (screen_y - float(area.y) - float(area.height) / 2) / now.zoom};
}

Camera zoomed(const Camera& camera, Area area, Extent picture, float screen_x, float screen_y, float factor) {
    Camera now = resolved(camera, area, picture);
    const PicturePoint fixed = picture_point(now, area, picture, screen_x, screen_y);
    // Smaller than all of it there is nothing more to see.
    const float whole = std::clamp(zoom_of({Framing::whole}, area, picture), kLeastZoom, kMostZoom);
    const float zoom = std::clamp(now.zoom * factor, whole, kMostZoom);
    now.center_x = fixed.x + (now.center_x - fixed.x) * now.zoom / zoom;
    now.center_y = fixed.y + (now.center_y - fixed.y) * now.zoom / zoom;
    now.zoom = zoom;
    return clamped(now, picture);
}

Camera panned(const Camera& camera, Area area, Extent picture, float dx, float dy) {
    Camera now = resolved(camera, area, picture);
    now.center_x -= dx / now.zoom;
    now.center_y -= dy / now.zoom;
    return clamped(now, picture);
}

Viewer::Viewer()
    : textures_(make_program(shader("picture.vert"), shader("picture.frag"))),
      buffers_(make_program(shader("picture.vert"), shader("buffer.frag"))),
      vertices_(make_vertex_array()) {}

void Viewer::draw(std::size_t which, const Pane& pane, Area clip, unsigned framebuffer, Extent size) {
    const Area area = pane.area;
    if (area.width <= 0 || area.height <= 0 || clip.width <= 0 || clip.height <= 0) return;
    Cache& cache = caches_[which];
    if (!cache.texture || !(cache.pane == pane)) draw_anew(cache, pane);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, cache.framebuffer.get());
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    glDisable(GL_SCISSOR_TEST);
    // Rows of OpenGL begin at the bottom.
    const int x = clip.x - area.x;
    const int y = area.y + area.height - clip.y - clip.height;
    const int bottom = size.height - clip.y - clip.height;
    glBlitFramebuffer(x, y, x + clip.width, y + clip.height, clip.x, bottom, clip.x + clip.width,
                      bottom + clip.height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
}

void Viewer::draw_anew(Cache& cache, const Pane& pane) {
    const Area area = pane.area;
    if (!cache.framebuffer) cache.framebuffer = make_framebuffer();
    glBindFramebuffer(GL_FRAMEBUFFER, cache.framebuffer.get());
    if (area.width != cache.pane.area.width || area.height != cache.pane.area.height || !cache.texture) {
        cache.texture = make_texture();
        glBindTexture(GL_TEXTURE_2D, cache.texture.get());
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, area.width, area.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     nullptr);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, cache.texture.get(), 0);
    }
    cache.pane = pane;
    glViewport(0, 0, area.width, area.height);
    glDisable(GL_BLEND);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
    glClearColor(pane.ground[0], pane.ground[1], pane.ground[2], 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glBindVertexArray(vertices_.get());
    glActiveTexture(GL_TEXTURE0);
    const PictureTexture& picture = *pane.picture;
    const Extent size = picture.size();
    const Camera now = resolved(pane.camera, area, size);
    if (const unsigned buffer = picture.buffer_texture()) {
        glBindTexture(GL_TEXTURE_BUFFER, buffer);
        place(buffers_.get(), {0, 0, size}, now, pane);
        glUniform2i(glGetUniformLocation(buffers_.get(), "u_size"), size.width, size.height);
        glUniform1i(glGetUniformLocation(buffers_.get(), "u_smooth"),
                    now.zoom < 1 && pane.reduction == Reduction::mean);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        glBindTexture(GL_TEXTURE_BUFFER, 0);
        return;
    }
    const GLint filter = now.zoom >= 1 || pane.reduction == Reduction::largest ? GL_NEAREST : GL_LINEAR;
    for (const PictureTexture::Tile& tile : picture.tiles()) {
        glBindTexture(GL_TEXTURE_2D, tile.texture.get());
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
        place(textures_.get(), {tile.x, tile.y, tile.size}, now, pane);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
}

}  // namespace ws
