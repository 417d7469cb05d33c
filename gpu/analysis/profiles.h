#pragma once
// The table of GPUs, assets/gpus.json: limits by compute capability, and GPUs by name.

#include <string>
#include <vector>

#include "gpu/core/error.h"
#include "gpu/core/gpu_profile.h"

namespace ws {

class GpuTable {
  public:
    GpuTable();  // the embedded table; throws Error if it is broken
    explicit GpuTable(const std::string& json);

    [[nodiscard]] const std::vector<GpuLimits>& capabilities() const { return capabilities_; }
    [[nodiscard]] const std::vector<GpuProfile>& gpus() const { return gpus_; }

    // By name, whatever the case and without the vendor's prefixes; throws UsageError that lists the names.
    [[nodiscard]] const GpuProfile& named(const std::string& name) const;
    // Adds to a GPU that was read from the machine what only the table knows: allocation granularities, the
    // chip.
    [[nodiscard]] GpuProfile completed(GpuProfile profile) const;

  private:
    [[nodiscard]] const GpuLimits& limits_of(ComputeCapability capability) const;
    std::vector<GpuLimits> capabilities_;
    std::vector<GpuProfile> gpus_;
};

}  // namespace ws
