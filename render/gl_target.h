#pragma once
// Frame targets whose picture reaches a texture.

#include <memory>

#include "gpu/core/frame_target.h"
#include "render/picture_texture.h"

namespace ws {

class GlTarget : public FrameTarget {
  public:
    // Brings the picture that was written last into the texture.
    virtual void present(PictureTexture& texture) = 0;
    // The picture that was written last, in host memory.
    [[nodiscard]] virtual GrayImage read_back() = 0;
};

// Host memory and a texture upload: for the cpu device, and where CUDA and OpenGL cannot share a buffer.
[[nodiscard]] std::unique_ptr<GlTarget> make_host_target();

}  // namespace ws
