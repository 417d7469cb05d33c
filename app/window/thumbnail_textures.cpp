#include "app/window/thumbnail_textures.h"

#include <algorithm>
#include <utility>

#include "gpu/core/error.h"

namespace ws {

unsigned ThumbnailTextures::find(const ThumbnailKey& key, const RgbaImage& image) {
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) { return one.key == key; });
    if (found != kept_.end()) {
        std::rotate(found, found + 1, kept_.end());
        return kept_.back().texture.tiles().front().texture.get();
    }
    try {
        PictureTexture texture;
        texture.resize(image.size, PictureTexture::Format::rgba);
        texture.upload(image.bytes.data());
        if (kept_.size() == kMost) kept_.erase(kept_.begin());
        kept_.push_back({key, std::move(texture)});
    } catch (const Error&) {
        return 0;
    }
    return kept_.back().texture.tiles().front().texture.get();
}

}  // namespace ws
