#pragma once
// Texture objects over buffers of a lab: a copy of each in an array, which CUDA lays out so that texels that
// are near each other in two dimensions lie near each other in memory.

#include <vector>

#include "gpu/core/lab.h"
#include "gpu/cuda/resources.h"

namespace ws {

class DeviceTextures {
  public:
    // Copies the buffer, which lies at `from` and holds work of this size, and makes the texture object,
    // unless it is there already. The copy goes over the stream. Throws Error.
    void bind(const Argument& argument, const Buffer& buffer, Extent size, const std::uint8_t* from,
              cudaStream_t stream);
    // Of what has been bound; 0 without that.
    [[nodiscard]] cudaTextureObject_t find(const Argument& argument) const;
    // Nothing on the GPU may use them any more.
    void clear() { bound_.clear(); }

  private:
    struct Bound {
        int buffer = -1;
        Sampling sampling;
        TextureArray array;
        TextureObject object;  // goes before its array
    };
    std::vector<Bound> bound_;
};

}  // namespace ws
