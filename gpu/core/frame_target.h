#pragma once
// Where a device writes the picture that is shown: a mapped OpenGL buffer, or plain host memory.

#include <cstdint>
#include <vector>

#include "gpu/core/image.h"

namespace ws {

class FrameTarget {
  public:
    enum class Memory { host, cuda };
    virtual ~FrameTarget() = default;
    [[nodiscard]] virtual Memory memory() const = 0;
    // Makes room for one byte a pixel. Throws Error.
    virtual void resize(Extent size) = 0;
    // The first byte, to be written until unmap; `stream` is the CUDA stream of the launches, null for host
    // memory. Everything in the picture must be overwritten. Throws Error, after which nothing is mapped.
    [[nodiscard]] virtual std::uint8_t* map(void* stream) = 0;
    virtual void unmap(void* stream) = 0;
};

// Host memory: what the command line runs into.
class HostTarget final : public FrameTarget {
  public:
    [[nodiscard]] Memory memory() const override { return Memory::host; }
    void resize(Extent size) override {
        if (picture_.size != size) picture_ = GrayImage(size);
    }
    [[nodiscard]] std::uint8_t* map(void* /*stream*/) override { return picture_.bytes.data(); }
    void unmap(void* /*stream*/) override {}
    [[nodiscard]] const GrayImage& picture() const { return picture_; }

  private:
    GrayImage picture_;
};

}  // namespace ws
