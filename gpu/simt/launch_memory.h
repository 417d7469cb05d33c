#pragma once
// Memory as one launch sees it: buffers, and the module's variables.

#include <vector>

#include "gpu/simt/device_heap.h"
#include "gpu/simt/device_memory.h"
#include "gpu/simt/module_variables.h"
#include "gpu/simt/warp.h"

namespace ws::simt {

class LaunchMemory {
  public:
    // `with_heap`: what malloc gives can be reached.
    LaunchMemory(DeviceMemory& memory, ModuleVariables& variables, DeviceHeap& heap, bool with_heap);

    // Of the buffers, in their order; then of the variables.
    [[nodiscard]] std::vector<Region>& regions() { return regions_; }
    [[nodiscard]] const Region& constants() const { return constants_; }
    // Null where no kernel has used malloc; its region is as large as it can become.
    [[nodiscard]] DeviceHeap* heap() { return heap_region_.size > 0 ? &heap_ : nullptr; }
    [[nodiscard]] const Region& heap_region() const { return heap_region_; }
    [[nodiscard]] std::vector<DeviceBuffer>& buffers() { return memory_.buffers(); }

  private:
    DeviceMemory& memory_;
    std::vector<Region> regions_;
    Region constants_;
    DeviceHeap& heap_;
    Region heap_region_;
};

}  // namespace ws::simt
