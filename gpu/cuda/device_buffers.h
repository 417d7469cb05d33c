#pragma once
// A lab's buffers on the GPU: memory for each that the problem fills or a plan writes, as large as the work.

#include <optional>
#include <vector>

#include "gpu/core/device.h"
#include "gpu/cuda/device_textures.h"
#include "gpu/cuda/resources.h"

namespace ws {

class DeviceBuffers {
  public:
    // Copies go over this stream, which must outlive it.
    explicit DeviceBuffers(cudaStream_t stream) : stream_(stream) {}

    // Memory and content of what the problem gives; nothing uses the stream. Throws Error: what was there
    // before is then gone.
    void hold(Problem problem);
    // Memory for what the plan writes, and textures of what it reads so.
    [[nodiscard]] std::optional<LaunchFailure> prepare(const Plan& plan);
    // Fills what the plan only writes.
    [[nodiscard]] cudaError_t poison(const Plan& plan, std::uint8_t byte);
    // The content of buffers that launches change, as it was.
    [[nodiscard]] cudaError_t restore(const Plan& plan);
    [[nodiscard]] cudaError_t copy_out(int buffer, std::uint8_t* to, std::size_t bytes) const;

    [[nodiscard]] std::uint8_t* data(int buffer) const { return memory_[std::size_t(buffer)].data(); }
    // Of an argument of a plan that has been prepared.
    [[nodiscard]] cudaTextureObject_t texture(const Argument& argument) const {
        return textures_.find(argument);
    }
    [[nodiscard]] Extent size() const { return size_; }  // of the work

  private:
    void reserve(const Lab& lab, Extent size, int buffer);
    [[nodiscard]] cudaError_t upload(int buffer);

    cudaStream_t stream_;
    const Lab* lab_ = nullptr;
    Extent size_;
    Problem problem_;
    std::vector<DeviceMemory> memory_;  // by the lab's list; empty until something is held or written there
    DeviceTextures textures_;           // of the problem's content
};

}  // namespace ws
