#pragma once
// The host's memory of a problem's buffers while launches run over it on the simulated GPU, one after the
// other.

#include <memory>
#include <span>
#include <vector>

#include "gpu/core/device.h"
#include "gpu/simt/step_launch.h"

namespace ws::simt {

class PlanMemory {
  public:
    explicit PlanMemory(Problem problem);

    // The buffer begins with these bytes: what steps before the first launch would have left there.
    void hold(int buffer, HostBytes bytes);
    // The launch over this memory, which must outlive it. What it writes is `poison` before; what it changes
    // is what the launches before have left, else a copy of the problem's content.
    [[nodiscard]] KernelLaunch stage(Gpu& gpu, std::shared_ptr<const Program> program, const Launch& launch,
                                     std::uint8_t poison);
    // A buffer as it is now, once a launch over it is staged; empty before.
    [[nodiscard]] std::span<const std::uint8_t> bytes(int buffer) const {
        return memory_[std::size_t(buffer)];
    }
    // What the launches have left in a buffer; empty where none has written it.
    [[nodiscard]] HostBytes take(int buffer) { return std::move(memory_[std::size_t(buffer)]); }

  private:
    Problem problem_;
    std::vector<HostBytes> memory_;  // by the lab's list
};

}  // namespace ws::simt
