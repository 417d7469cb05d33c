#pragma once
// A picture as OpenGL textures: one, or a grid of them where the picture is larger than a texture may be.

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

    // The first channel of one pixel; waits for the GPU.
    [[nodiscard]] int read_pixel(int x, int y) const;

    [[nodiscard]] Extent size() const { return size_; }
    [[nodiscard]] const std::vector<Tile>& tiles() const { return tiles_; }

  private:
    Extent size_;
    Format format_ = Format::gray;
    std::vector<Tile> tiles_;
};

}  // namespace ws
