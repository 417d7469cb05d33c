#pragma once
// The clock of the multiprocessors and what keeps it low, read through NVML where its library is found.

#include <memory>
#include <string>

#include "gpu/core/device.h"

namespace ws {

class GpuClock {
  public:
    explicit GpuClock(const std::string& pci_bus_id);
    ~GpuClock();
    GpuClock(const GpuClock&) = delete;
    GpuClock& operator=(const GpuClock&) = delete;
    [[nodiscard]] ClockReading read() const;

  private:
    struct Api;
    std::unique_ptr<Api> api_;
};

}  // namespace ws
