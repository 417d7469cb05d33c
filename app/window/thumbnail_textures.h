#pragma once
// Thumbnails as textures of one OpenGL context.

#include <vector>

#include "app/window/thumbnails.h"
#include "render/picture_texture.h"

namespace ws {

class ThumbnailTextures {
  public:
    // The texture's name for the rest of the frame; 0 where OpenGL's memory is full.
    [[nodiscard]] unsigned find(const ThumbnailKey& key, const RgbaImage& image);

  private:
    // More than any window shows at a time.
    static constexpr std::size_t kMost = 64;
    struct Kept {
        ThumbnailKey key;
        PictureTexture texture;
    };
    std::vector<Kept> kept_;  // the one that was drawn last stands last
};

}  // namespace ws
