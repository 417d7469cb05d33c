#pragma once
// A picture for the viewer: as OpenGL textures (one, or a grid of them where the picture is larger than a
// texture may be), or gray bytes in a buffer that the shader reads where they lie.

#include <cstdint>
#include <vector>

#include "gpu/core/image.h"
#include "render/gl_objects.h"

namespace ws {

class PictureTexture {
  public:
    enum class Format { gray, rgba };
    struct Tile {
        int x = 0;
        int y = 0;
        Extent size;
        GlName texture;
    };

    // Makes textures of this size; what they show is undefined. Throws Error if memory is full.
    void resize(Extent size, Format format);
    // From host memory, or from an offset of the bound pixel unpack buffer.
    void upload(const std::uint8_t* pixels);

    // Shows gray bytes where they lie: rows without gaps from the buffer's start, which must outlive this.
    // False, and nothing changed, where OpenGL reads no buffer of that size.
    [[nodiscard]] bool show_buffer(unsigned buffer, Extent size);
    // The texture over that buffer; 0 where textures are shown.
    [[nodiscard]] unsigned buffer_texture() const { return buffer_texture_ ? buffer_texture_.get() : 0; }

    // The first channel of one pixel; waits for the GPU.
    [[nodiscard]] int read_pixel(int x, int y) const;

    [[nodiscard]] Extent size() const { return size_; }
    [[nodiscard]] const std::vector<Tile>& tiles() const { return tiles_; }

  private:
    Extent size_;
    Format format_ = Format::gray;
    std::vector<Tile> tiles_;
    GlName buffer_texture_;
    unsigned buffer_ = 0;
};

}  // namespace ws
