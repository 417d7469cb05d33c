#pragma once
// Frame targets whose picture reaches the viewer.

#include <memory>

#include "gpu/core/frame_target.h"
#include "render/picture_texture.h"

namespace ws {

// How the viewer gets the picture: it reads the buffer where it lies; or a texture, into which OpenGL copies
// it, or CUDA does (image), which where CUDA writes into no buffer of OpenGL is the same as texture.
enum class PicturePath { buffer, texture, image };

class GlTarget : public FrameTarget {
  public:
    // Lets the texture show the picture that was written last.
    virtual void present(PictureTexture& texture) = 0;
    // The picture that was written last, in host memory.
    [[nodiscard]] virtual GrayImage read_back() = 0;
};

// Host memory and an upload: for the cpu device, and where CUDA and OpenGL cannot share a buffer.
[[nodiscard]] std::unique_ptr<GlTarget> make_host_target(PicturePath path);

}  // namespace ws
