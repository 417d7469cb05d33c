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
    void reserve(Extent size);
    void upload(const std::uint8_t* from, std::size_t bytes);
    void download(const std::uint8_t* from, std::uint8_t* to, std::size_t bytes);

    int index_;
    const Driver& driver_;
    Plan plan_;
    std::vector<CUfunction> functions_;
    CudaStream stream_;
    // Copies go through two pieces of memory that the GPU reaches by itself: while one travels, the CPU fills
    // or empties the other. Such memory takes long to get, so there is little of it.
    static constexpr std::size_t kPiece = std::size_t(2) << 20;
    struct Piece {
        PinnedMemory memory{kPiece};
        CudaEvent copied;
    };
    Piece pieces_[2];
    std::size_t pixels_ = 0;             // that the memory below holds
    std::vector<DeviceMemory> buffers_;  // by the lab's list; empty where the plan uses none
};

}  // namespace ws
