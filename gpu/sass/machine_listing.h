#pragma once
// A kernel's machine code beside what its loads wait for, read once a kernel.

#include <memory>
#include <optional>

#include "gpu/core/kernel.h"
#include "gpu/sass/in_flight.h"

namespace ws {

struct MachineListing {
    MachineCode code;
    InFlight flight;
};

// The listing of one kernel at a time, as long as it is asked for.
class MachineReader {
  public:
    // Null where there is no kernel, or no machine code that this reader knows.
    [[nodiscard]] const MachineListing* of(const std::shared_ptr<const CompiledKernel>& kernel);

  private:
    std::shared_ptr<const CompiledKernel> kernel_;
    std::optional<MachineListing> listing_;
};

}  // namespace ws
