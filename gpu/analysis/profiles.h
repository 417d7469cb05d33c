#pragma once
// The table of GPUs, assets/gpus.json: limits by compute capability, and GPUs by name, with what is known of
// their rates (assets/calibrations, and what this user has measured).

#include <memory>
#include <string>
#include <vector>

#include "gpu/core/calibration.h"
#include "gpu/core/error.h"
#include "gpu/core/gpu_profile.h"

namespace ws {

class GpuTable {
  public:
    // The embedded table; throws Error if it is broken. `of_user` goes before the program's own calibrations.
    explicit GpuTable(std::vector<Calibration> of_user = {});
    explicit GpuTable(const std::string& json);

    [[nodiscard]] const std::vector<GpuLimits>& capabilities() const { return capabilities_; }
    [[nodiscard]] const std::vector<GpuProfile>& gpus() const { return gpus_; }

    // By name, whatever the case and without the vendor's prefixes; throws UsageError that lists the names.
    [[nodiscard]] const GpuProfile& named(const std::string& name) const;
    // Adds to a GPU that was read from the machine what only the table knows: allocation granularities, the
    // chip, its rates.
    [[nodiscard]] GpuProfile completed(GpuProfile profile) const;

  private:
    using SharedCalibrations = std::vector<std::shared_ptr<const Calibration>>;
    GpuTable(const std::string& json, std::vector<Calibration> of_user);
    [[nodiscard]] const GpuLimits& limits_of(ComputeCapability capability) const;
    [[nodiscard]] KnownRates rates_of(const GpuProfile& gpu) const;
    std::vector<GpuLimits> capabilities_;
    std::vector<GpuProfile> gpus_;
    SharedCalibrations of_user_, shipped_;
};

}  // namespace ws
