#pragma once
// Memory as one launch sees it: buffers, the module's variables, and the marks of who touched what.

#include <cstdint>
#include <vector>

#include "gpu/simt/checks.h"
#include "gpu/simt/device_memory.h"
#include "gpu/simt/launch.h"
#include "gpu/simt/module_variables.h"
#include "gpu/simt/warp.h"

namespace ws::simt {

class LaunchMemory {
  public:
    LaunchMemory(DeviceMemory& memory, ModuleVariables& variables, const Program& program,
                 const LaunchOptions& options);

    [[nodiscard]] std::vector<Region>& regions() { return regions_; }
    [[nodiscard]] const Region& constants() const { return constants_; }
    // In sectors that were touched at least once.
    [[nodiscard]] std::uint64_t unique_bytes() const;
    // Buffers that came without data and were written in part only.
    void find_unwritten(FindingLog& findings) const;
    // Notes in the buffers what the launch has written.
    void keep_written() const;

  private:
    void watch(Region& region, const DeviceBuffer* buffer, bool with_records);

    DeviceMemory& memory_;
    std::vector<Region> regions_;  // of the buffers, in their order; then of the variables
    std::vector<std::vector<std::uint16_t>> shadows_;
    std::vector<std::vector<std::uint8_t>> marks_;
    std::vector<std::vector<WriteRecord>> records_;
    Region constants_;
};

}  // namespace ws::simt
