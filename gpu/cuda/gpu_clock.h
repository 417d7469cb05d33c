#pragma once
// The clock of the multiprocessors, read through NVML where its library is found.

#include <memory>
#include <optional>
#include <string>

namespace ws {

class GpuClock {
  public:
    explicit GpuClock(const std::string& pci_bus_id);
    ~GpuClock();
    GpuClock(const GpuClock&) = delete;
    GpuClock& operator=(const GpuClock&) = delete;
    [[nodiscard]] std::optional<int> mhz() const;

  private:
    struct Api;
    std::unique_ptr<Api> api_;
};

}  // namespace ws
