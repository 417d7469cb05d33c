#include "render/picture_texture.h"

#include <glad/gl.h>

#include <algorithm>

#include "gpu/core/error.h"

namespace ws {

void PictureTexture::resize(Extent size, Format format) {
    if (size == size_ && format == format_ && !buffer_texture_) return;
    buffer_texture_ = {};
    GLint largest = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
    // A lost context answers nothing; steps of 0 would never end.
    if (largest < 1) throw Error("OpenGL reports no largest texture", "", "its context may be lost");
    clear_gl_errors();
    std::vector<Tile> tiles;
    for (int y = 0; y < size.height; y += largest) {
        for (int x = 0; x < size.width; x += largest) {
            Tile tile{x,
                      y,
                      {std::min(largest, size.width - x), std::min(largest, size.height - y)},
                      make_texture()};
            glBindTexture(GL_TEXTURE_2D, tile.texture.get());
            if (format == Format::gray) {
                glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, tile.size.width, tile.size.height, 0, GL_RED,
                             GL_UNSIGNED_BYTE, nullptr);
                const GLint swizzle[] = {GL_RED, GL_RED, GL_RED, GL_ONE};
                glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, swizzle);
            } else {
                glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, tile.size.width, tile.size.height, 0, GL_RGBA,
                             GL_UNSIGNED_BYTE, nullptr);
            }
            // OpenGL's own filter wants smaller levels, and is black without.
            for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
                glTexParameteri(GL_TEXTURE_2D, filter, GL_LINEAR);
            glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
            glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
            tiles.push_back(std::move(tile));
        }
    }
    if (gl_out_of_memory()) {
        throw Error("the graphics memory is full",
                    "making a texture of " + std::to_string(size.width) + " x " + std::to_string(size.height),
                    "close other programs or use a smaller picture");
    }
    tiles_ = std::move(tiles);
    size_ = size;
    format_ = format;
}

void PictureTexture::upload(const std::uint8_t* pixels) {
    const GLenum layout = format_ == Format::gray ? GL_RED : GL_RGBA;
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, size_.width);
    for (const Tile& tile : tiles_) {
        glPixelStorei(GL_UNPACK_SKIP_PIXELS, tile.x);
        glPixelStorei(GL_UNPACK_SKIP_ROWS, tile.y);
        glBindTexture(GL_TEXTURE_2D, tile.texture.get());
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, tile.size.width, tile.size.height, layout, GL_UNSIGNED_BYTE,
                        pixels);
    }
    for (const GLenum setting : {GL_UNPACK_ROW_LENGTH, GL_UNPACK_SKIP_PIXELS, GL_UNPACK_SKIP_ROWS}) {
        glPixelStorei(setting, 0);
    }
}

bool PictureTexture::show_buffer(unsigned buffer, Extent size) {
    if (buffer_texture_ && buffer == buffer_ && size == size_) return true;
    GLint most = 0;
    glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &most);
    if (size.pixels() > std::size_t(most)) return false;
    buffer_texture_ = make_texture();
    glBindTexture(GL_TEXTURE_BUFFER, buffer_texture_.get());
    glTexBuffer(GL_TEXTURE_BUFFER, GL_R8, buffer);
    glBindTexture(GL_TEXTURE_BUFFER, 0);
    tiles_.clear();
    buffer_ = buffer;
    size_ = size;
    format_ = Format::gray;
    return true;
}

int PictureTexture::read_pixel(int x, int y) const {
    if (buffer_texture_) {
        std::uint8_t value = 0;
        glBindBuffer(GL_COPY_READ_BUFFER, buffer_);
        glGetBufferSubData(GL_COPY_READ_BUFFER, GLintptr(y) * size_.width + x, 1, &value);
        glBindBuffer(GL_COPY_READ_BUFFER, 0);
        return value;
    }
    const GlName framebuffer = make_framebuffer();
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.get());
    std::uint8_t value[4] = {};
    for (const Tile& tile : tiles_) {
        const bool inside =
            x >= tile.x && y >= tile.y && x < tile.x + tile.size.width && y < tile.y + tile.size.height;
        if (!inside) continue;
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, tile.texture.get(), 0);
        glReadPixels(x - tile.x, y - tile.y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, value);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    return value[0];
}

}  // namespace ws
