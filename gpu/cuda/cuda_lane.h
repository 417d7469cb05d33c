#pragma once
// A stream of its own, with memory on both sides, for pictures by the hundred.

#include "gpu/core/device.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/resources.h"

namespace ws {

class CudaLane final : public PictureLane {
  public:
    // `functions` are the plan's kernels in order, loaded on device `index`.
    CudaLane(int index, const Driver& driver, Plan plan, std::vector<CUfunction> functions);

    [[nodiscard]] Result<GrayImage> run(const Picture& picture) override;

  private:
    void reserve(std::size_t pixels);

    int index_;
    const Driver& driver_;
    Plan plan_;
    std::vector<CUfunction> functions_;
    CudaStream stream_;
    std::size_t pixels_ = 0;  // that the memory below holds
    PinnedMemory in_, out_;
    DeviceMemory source_;
    DeviceMemory buffers_[2];
};

}  // namespace ws
