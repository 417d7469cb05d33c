#include "render/viewer.h"

#include <glad/gl.h>

#include <algorithm>
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

// The same view without `fit`.
Camera resolved(const Camera& camera, Area area, Extent picture) {
    if (!camera.fit) return camera;
    return {false, zoom_of(camera, area, picture), float(picture.width) / 2, float(picture.height) / 2};
}

// A part of the picture, in its pixels.
struct Part {
    int x = 0;
    int y = 0;
    Extent size;
};

// Makes the program draw a part where the camera sees it: from the picture's pixels to -1 .. 1, its rows from
// top to bottom.
void place(unsigned program, const Part& part, const Camera& now, Area area) {
    glUseProgram(program);
    glUniform1i(glGetUniformLocation(program, "u_picture"), 0);
    const float unit_x = 2 * now.zoom / float(area.width);
    const float unit_y = 2 * now.zoom / float(area.height);
    glUniform2f(glGetUniformLocation(program, "u_scale"), float(part.size.width) * unit_x,
                -float(part.size.height) * unit_y);
    glUniform2f(glGetUniformLocation(program, "u_offset"), (float(part.x) - now.center_x) * unit_x,
                -(float(part.y) - now.center_y) * unit_y);
    const bool reduced = now.zoom < 0.67f;
    const float quarter = reduced ? 0.25f / now.zoom : 0;
    glUniform2f(glGetUniformLocation(program, "u_step"), quarter / float(part.size.width),
                quarter / float(part.size.height));
}

}  // namespace

float zoom_of(const Camera& camera, Area area, Extent picture) {
    if (!camera.fit) return camera.zoom;
    if (picture.width == 0 || picture.height == 0) return 1;
    return std::min(float(area.width) / float(picture.width), float(area.height) / float(picture.height));
}

PicturePoint picture_point(const Camera& camera, Area area, Extent picture, float screen_x, float screen_y) {
    const Camera now = resolved(camera, area, picture);
    return {now.center_x + (screen_x - float(area.x) - float(area.width) / 2) / now.zoom,
            now.center_y + (screen_y - float(area.y) - float(area.height) / 2) / now.zoom};
}

Camera zoomed(const Camera& camera, Area area, Extent picture, float screen_x, float screen_y, float factor) {
    Camera now = resolved(camera, area, picture);
    const PicturePoint fixed = picture_point(now, area, picture, screen_x, screen_y);
    const float zoom = std::clamp(now.zoom * factor, kLeastZoom, kMostZoom);
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
      vertices_(make_vertex_array()),
      cache_framebuffer_(make_framebuffer()) {}

void Viewer::draw(const PictureTexture& picture, const Camera& camera, Area area, unsigned framebuffer,
                  Extent size) {
    if (area.width <= 0 || area.height <= 0) return;
    if (stale_ || area != cached_area_ || camera != cached_camera_ || &picture != cached_picture_) {
        draw_anew(picture, camera, area);
        cached_area_ = area;
        cached_camera_ = camera;
        cached_picture_ = &picture;
        stale_ = false;
    }
    glBindFramebuffer(GL_READ_FRAMEBUFFER, cache_framebuffer_.get());
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    glDisable(GL_SCISSOR_TEST);
    const int bottom = size.height - area.y - area.height;
    glBlitFramebuffer(0, 0, area.width, area.height, area.x, bottom, area.x + area.width,
                      bottom + area.height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
}

void Viewer::draw_anew(const PictureTexture& picture, const Camera& camera, Area area) {
    glBindFramebuffer(GL_FRAMEBUFFER, cache_framebuffer_.get());
    if (area.width != cached_area_.width || area.height != cached_area_.height || !cache_texture_) {
        cache_texture_ = make_texture();
        glBindTexture(GL_TEXTURE_2D, cache_texture_.get());
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, area.width, area.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     nullptr);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, cache_texture_.get(), 0);
    }
    glViewport(0, 0, area.width, area.height);
    glDisable(GL_BLEND);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
    glClearColor(0.09f, 0.09f, 0.10f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glBindVertexArray(vertices_.get());
    glActiveTexture(GL_TEXTURE0);
    const Extent size = picture.size();
    const Camera now = resolved(camera, area, size);
    if (const unsigned buffer = picture.buffer_texture()) {
        glBindTexture(GL_TEXTURE_BUFFER, buffer);
        place(buffers_.get(), {0, 0, size}, now, area);
        glUniform2i(glGetUniformLocation(buffers_.get(), "u_size"), size.width, size.height);
        glUniform1i(glGetUniformLocation(buffers_.get(), "u_smooth"), now.zoom < 1);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        glBindTexture(GL_TEXTURE_BUFFER, 0);
        return;
    }
    const GLint filter = now.zoom >= 1 ? GL_NEAREST : GL_LINEAR;
    for (const PictureTexture::Tile& tile : picture.tiles()) {
        glBindTexture(GL_TEXTURE_2D, tile.texture.get());
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
        place(textures_.get(), {tile.x, tile.y, tile.size}, now, area);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
}

}  // namespace ws
