#pragma once
// CUDA and OpenGL together: a pixel buffer object that kernels write straight into.

#include <memory>
#include <string>

#include "gpu/core/error.h"
#include "render/gl_target.h"

namespace ws {

// Which CUDA device draws the current context's windows.
struct InteropChoice {
    int cuda_index = -1;  // -1: none does
    std::string reason;   // why none, in plain words with the remedy
};

// Needs a current context. CUDA's error state is clear afterwards.
[[nodiscard]] InteropChoice cuda_device_of_gl(const std::string& gl_renderer);

// Registers a buffer for pictures of this size with the current CUDA device; the failure says why it cannot
// be.
[[nodiscard]] Result<std::unique_ptr<GlTarget>> make_interop_target(Extent size, PicturePath path);

}  // namespace ws
