#include "gpu/sass/machine_listing.h"

#include <utility>

#include "gpu/sass/machine_code_reader.h"

namespace ws {

const MachineListing* MachineReader::of(const std::shared_ptr<const CompiledKernel>& kernel) {
    if (kernel != kernel_) {
        kernel_ = kernel;
        listing_.reset();
        if (kernel && !kernel->is_ptx) {
            Result<MachineCode> code = read_machine_code(kernel->binary, kernel->entry);
            if (code.ok()) {
                InFlight flight = loads_in_flight(code.value());
                listing_ = MachineListing{std::move(code.value()), std::move(flight)};
            }
        }
    }
    return listing_ ? &*listing_ : nullptr;
}

}  // namespace ws
