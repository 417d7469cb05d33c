#pragma once
// Memory as one launch sees it: buffers, and the module's variables.

#include <vector>

#include "gpu/simt/device_memory.h"
#include "gpu/simt/module_variables.h"
#include "gpu/simt/warp.h"

namespace ws::simt {

class LaunchMemory {
  public:
    LaunchMemory(DeviceMemory& memory, ModuleVariables& variables);

    // Of the buffers, in their order; then of the variables.
    [[nodiscard]] std::vector<Region>& regions() { return regions_; }
    [[nodiscard]] const Region& constants() const { return constants_; }
    [[nodiscard]] std::vector<DeviceBuffer>& buffers() { return memory_.buffers(); }

  private:
    DeviceMemory& memory_;
    std::vector<Region> regions_;
    Region constants_;
};

}  // namespace ws::simt
