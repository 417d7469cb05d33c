#pragma once
// A kernel's machine code beside what its loads wait for, read once a kernel.

#include <memory>
#include <optional>

#include "gpu/core/kernel.h"
#include "gpu/sass/in_flight.h"

namespace ws {

// Instructions that access local memory: spills, and arrays whose index is not known to the compiler.
struct LocalAccesses {
    int stores = 0, loads = 0;
};
[[nodiscard]] LocalAccesses local_accesses(const MachineCode& code);
// How many instructions there are before the NOPs with which the assembler fills up the code.
[[nodiscard]] int without_padding(const MachineCode& code);

struct MachineListing {
    MachineCode code;
    InFlight flight;
    LocalAccesses local;
    int count = 0;  // of the instructions, without the padding at the end
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
